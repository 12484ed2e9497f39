package io.holdfast.zookeeper.backend;

import java.util.List;

/**
 * The children of a node.
 *
 * @param names their names
 * @param changedBy the transaction that created or deleted the last of them
 * @param version the version of the data of the parent node
 */
record Children(List<String> names, long changedBy, int version) {
  static final Children NONE = new Children(List.of(), 0, 0);
}
