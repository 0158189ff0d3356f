"""A PySpark pipeline on real data: the flights that left New York in 2013, as a change stream into Paimon tables."""
