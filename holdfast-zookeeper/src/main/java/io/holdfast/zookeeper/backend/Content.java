package io.holdfast.zookeeper.backend;

/**
 * The data of a node and what ZooKeeper knows about it.
 *
 * @param text the data
 * @param stat the rest
 */
record Content(String text, NodeStat stat) {
  NodeData stored() {
    return NodeData.parse(text);
  }
}
