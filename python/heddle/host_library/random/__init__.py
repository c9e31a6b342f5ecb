"""Random numbers in host functions.

mersenne_twister         the generators behind numpy_random and python_random; distributions: the rest of numpy.random
generators               methods of np.random.Generator
generator_distributions  those that draw from distributions with parameters; generator_counts: from distributions of
                         integers
"""
