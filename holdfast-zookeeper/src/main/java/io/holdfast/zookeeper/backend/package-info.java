/**
 * The ZooKeeper engine behind the SPI. Whoever wants a resource stands in a line: a {@code Place}
 * is an ephemeral sequential node under the container of its key, and what stands before it decides
 * whether it holds.
 *
 * <pre>
 *   ZooKeeperBackend      requests in, results out, signals                one per manager
 *     Place, Attempt      one owner's node; one attempt to get on with it
 *     Line                who stands where: pure rules, no I/O
 *     Leases, LeaseBook   whose lease is over
 *     Demand watch        Wanted: tells a holder that somebody waits
 *     Latches, Limits, Snapshots
 *   Session               the only class that sends requests to ZooKeeper
 *   ZooKeeperClient       sessions one after the other, through Curator's client
 * </pre>
 */
@NullMarked
package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.NullMarked;
