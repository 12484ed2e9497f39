package io.holdfast.redis.backend;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;

/**
 * A {@code PING} in front of a script call whose messages matter more than its answer. At the end
 * of a turn the server writes to the connections it has something for, and begins with the one that
 * came last: the answer of a script is written before the messages that the script has published.
 * When the connection has an answer waiting already, the messages are written first, and the next
 * holder of a lock does not compete with the last one for a processor. Nobody waits for the answer,
 * whatever it is.
 *
 * <pre>
 *   EVALSHA        : [answer] [message]          who gives up is woken first
 *   PING, EVALSHA  : [message] [pong, answer]    who waits is
 * </pre>
 */
final class LeadingPing extends AsyncCommand<String, String, String> {
  LeadingPing() {
    super(new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8)));
  }

  // As with ScriptCall: each is itself alone.

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
