package io.holdfast.torture.client;

import io.holdfast.testservers.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers in Redis: hashes with a token and a value, compared and written by a script. */
final class RedisRegister implements Register {
  private static final String WRITE =
      """
      local old = redis.call('HMGET', KEYS[1], 'token', 'value')
      local token, value = old[1] or '0', old[2] or ''
      -- tokens exceed what a number of Lua can hold: compared as text of equal length
      local function wide(n) return string.rep('0', 20 - #n) .. n end
      if ARGV[3] == 'fenced' and wide(ARGV[1]) < wide(token) then
        return {'refused', token, value}
      end
      redis.call('HSET', KEYS[1], 'token', ARGV[1], 'value', ARGV[2])
      return {'ok', token, value}
      """;

  private final String url;
  private @Nullable RespClient client;

  RedisRegister(String url) {
    this.url = url;
  }

  @Override
  public @Nullable Content writeFenced(String key, long token, String value) throws IOException {
    List<?> reply = write(key, token, value, "fenced");
    return reply.get(0).equals("ok") ? content(reply.get(1), reply.get(2)) : null;
  }

  @Override
  public Content writePlain(String key, long token, String value) throws IOException {
    List<?> reply = write(key, token, value, "plain");
    return content(reply.get(1), reply.get(2));
  }

  @Override
  public Content read(String key, boolean fenced) throws IOException {
    List<?> reply = call("HMGET", name(key, fenced ? "fenced" : "plain"), "token", "value");
    return content(reply.get(0), reply.get(1));
  }

  private List<?> write(String key, long token, String value, String kind) throws IOException {
    return call("EVAL", WRITE, "1", name(key, kind), Long.toString(token), value, kind);
  }

  private static String name(String key, String kind) {
    return "register:" + kind + ":" + key;
  }

  private static Content content(@Nullable Object token, @Nullable Object value) {
    return new Content(
        token == null ? 0 : Long.parseLong(token.toString()),
        value == null ? "" : value.toString());
  }

  private List<?> call(String... command) throws IOException {
    try {
      RespClient connected = client;
      if (connected == null) {
        connected = RespClient.connect(url);
        client = connected;
      }
      return connected.list(command);
    } catch (UncheckedIOException e) {
      close();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    RespClient connected = client;
    client = null;
    if (connected != null) {
      connected.close();
    }
  }
}
