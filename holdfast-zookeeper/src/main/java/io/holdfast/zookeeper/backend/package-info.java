/**
 * The ZooKeeper engine behind the SPI. Owners of a resource stand in a line: a {@code Place} is an
 * ephemeral sequential node under the container of the key, and the nodes before it decide whether
 * its owner holds.
 *
 * <pre>
 *   ZooKeeperBackend      requests in, results out, signals                one per manager
 *     Places, Place       the owners of this process, each with its node
 *     Attempt             one attempt to acquire, driven as a loop of Steps; its phases:
 *       Search            finds the node of a create that was not answered
 *       Waiting           watches until the turn comes
 *       Grant             the last step, with or without a write
 *     Renewal, Departure  the other operations on a place
 *     Line, Verdict       the rules of a line, without I/O
 *     Leases, LeaseBook   overdue leases of others
 *     ContentionWatch     signals to a holder that another owner waits
 *     SoleUser            locks that only this process uses
 *     Latches, Limits, Snapshots, Fence
 *   Contact, SessionHeartbeat   how long a session is sure to live
 *   Session               the only class that sends requests to ZooKeeper
 *   ZooKeeperClient       sessions one after the other, through Curator's client
 * </pre>
 */
@NullMarked
package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.NullMarked;
