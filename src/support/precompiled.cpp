// Intentionally empty: this target provides the precompiled headers for all layers (src/CMakeLists.txt).
