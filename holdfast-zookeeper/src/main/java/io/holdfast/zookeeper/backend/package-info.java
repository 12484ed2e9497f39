/**
 * The ZooKeeper engine behind the SPI. Whoever wants a resource stands in a line: a {@code Place}
 * is an ephemeral sequential node under the container of its key, and what stands before it decides
 * whether it holds.
 *
 * <pre>
 *   ZooKeeperBackend      requests in, results out, signals                one per manager
 *     Places, Place       the owners of this process, each with its node
 *     Attempt, Grant      one attempt to get on, and its last step; Search if a create was unanswered
 *     Renewal, Departure  what else can be done with a place
 *     Line, Verdict       who stands where: pure rules, no I/O
 *     Leases, LeaseBook   whose lease is over
 *     Wanted              tells a holder that somebody waits
 *     Latches, Limits, Snapshots, Fence
 *   Session               the only class that sends requests to ZooKeeper
 *   ZooKeeperClient       sessions one after the other, through Curator's client
 * </pre>
 */
@NullMarked
package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.NullMarked;
