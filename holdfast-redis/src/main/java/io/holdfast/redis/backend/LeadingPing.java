package io.holdfast.redis.backend;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;

/**
 * A {@code PING} in front of a script call whose messages matter more than its answer. At the end
 * of a turn the server writes to the connections that have output, and begins with the connection
 * that got output last: it writes the answer of a script before the messages that the script has
 * published. If the connection has an answer pending already, the server writes the messages first,
 * and the next holder of a lock does not compete with the releaser for a processor. The answer to
 * the {@code PING} is ignored.
 *
 * <pre>
 *   EVALSHA        : [answer] [message]          the releaser wakes first
 *   PING, EVALSHA  : [message] [pong, answer]    the next holder wakes first
 * </pre>
 */
final class LeadingPing extends IdentityCommand<String> {
  LeadingPing() {
    super(CommandType.PING, new StatusOutput<>(StringCodec.UTF8), null);
  }
}
