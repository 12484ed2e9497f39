package io.holdfast.zookeeper.backend;

import java.util.List;

/**
 * The children of a node.
 *
 * @param names their names
 * @param changedBy the transaction that added or removed one last
 * @param version how often the data of the node itself was written
 */
record Children(List<String> names, long changedBy, int version) {
  static final Children NONE = new Children(List.of(), 0, 0);
}
