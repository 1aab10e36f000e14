requires linear_indexing;
