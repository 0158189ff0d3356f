"""The procedures of ``CALL sys.<name>(…)``: names, arguments and results are those of Paimon's Spark connector."""
