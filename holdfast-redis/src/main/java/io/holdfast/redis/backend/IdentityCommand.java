package io.holdfast.redis.backend;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/** A command that equals only itself; Lettuce would compare the commands inside. */
abstract class IdentityCommand<T> extends AsyncCommand<String, String, T> {
  IdentityCommand(
      CommandType type,
      CommandOutput<String, String, T> output,
      @Nullable CommandArgs<String, String> args) {
    super(new Command<>(type, output, args));
  }

  @Override
  public final boolean equals(Object other) {
    return this == other;
  }

  @Override
  public final int hashCode() {
    return System.identityHashCode(this);
  }
}
