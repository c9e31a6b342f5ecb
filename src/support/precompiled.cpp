// Nothing: the target that this file belongs to holds the headers that every layer has precompiled (src/CMakeLists.txt).
