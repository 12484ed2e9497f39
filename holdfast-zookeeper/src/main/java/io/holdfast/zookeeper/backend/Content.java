package io.holdfast.zookeeper.backend;

/**
 * The content of a node.
 *
 * @param text the data
 * @param stat the metadata
 */
record Content(String text, NodeStat stat) {
  NodeData data() {
    return NodeData.parse(text);
  }
}
