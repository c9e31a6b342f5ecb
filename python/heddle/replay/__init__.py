"""Records of launches that fail on a GPU, for ``heddle check FILE``: ``HEDDLE_REPLAY=1``.

recorder            records each launch before it runs, and writes the record if the launch fails
record              the contents of a record, and its file
memory              copies of the memory that a launch may access
pickled_launches    pickles kernels by value, and arguments as views of the saved memory
replayed_launch     runs a recorded launch on the CPU device
"""
