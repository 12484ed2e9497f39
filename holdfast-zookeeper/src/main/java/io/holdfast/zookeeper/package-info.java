/** Locks on ZooKeeper: {@code zookeeper://} URLs. */
@NullMarked
package io.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
