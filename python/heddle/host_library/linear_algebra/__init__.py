"""np.linalg, dot and products of arrays.

linear_equations  np.linalg, through lapack; decompositions, norms: the same
dot               dot and @
products          outer, kron, cross
"""
