package io.holdfast.redis.backend;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * The arguments of a script call, written straight into the buffer of the connection. Lettuce would
 * make an object for each argument, most of the allocation of a call.
 */
final class ScriptArgs extends CommandArgs<String, String> {
  private static final int CRLF = '\r' << 8 | '\n';

  private final String script;
  private final String[] keys;
  private final String[] args;

  /**
   * @param script the name or the text of the script
   */
  ScriptArgs(String script, String[] keys, String[] args) {
    super(StringCodec.UTF8);
    this.script = script;
    this.keys = keys;
    this.args = args;
  }

  @Override
  public int count() {
    return 2 + keys.length + args.length;
  }

  @Override
  public void encode(ByteBuf buffer) {
    write(buffer, script);
    write(buffer, Integer.toString(keys.length));
    for (String key : keys) {
      write(buffer, key);
    }
    for (String arg : args) {
      write(buffer, arg);
    }
  }

  private static void write(ByteBuf buffer, String text) {
    int length = ByteBufUtil.utf8Bytes(text);
    buffer.writeByte('$');
    writeLength(buffer, length);
    buffer.writeShort(CRLF);
    ByteBufUtil.reserveAndWriteUtf8(buffer, text, length);
    buffer.writeShort(CRLF);
  }

  private static void writeLength(ByteBuf buffer, int length) {
    if (length >= 10) {
      writeLength(buffer, length / 10);
    }
    buffer.writeByte('0' + length % 10);
  }

  /** The text for Lettuce's log, without the arguments. */
  @Override
  public String toCommandString() {
    return keys.length + " keys, " + args.length + " arguments";
  }
}
