"""np.linalg, dot and other products of arrays.

linear_equations  np.linalg's solvers, through lapack; decompositions, norms: the rest of np.linalg
dot               dot and @
products          outer, kron, cross
"""
