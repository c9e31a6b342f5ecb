"""Random numbers in functions of the host.

mersenne_twister         the generators of numpy_random and python_random; distributions: more of numpy.random
generators               methods of np.random.Generator
generator_distributions  those that draw of distributions with parameters; generator_counts: of counts
"""
