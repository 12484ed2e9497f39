package io.holdfast.torture.client;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a holder does inside: writes to the register that looks at tokens and to the other. */
final class RegisterWork implements AutoCloseable {
  private final Register register;
  private final Recorder recorder;

  RegisterWork(Register register, Recorder recorder) {
    this.register = register;
    this.recorder = recorder;
  }

  /** One step that the register itself checks. */
  void writeFenced(String key, String holder, long token) {
    Recorder.Call call = recorder.beginWrite(Action.FENCED_WRITE, key, details(holder, token));
    try {
      Register.Content old = register.writeFenced(key, token, call.holder());
      if (old == null) {
        call.fail(Map.of());
      } else {
        call.ok(Map.of(Detail.PREVIOUS, old.value()));
      }
    } catch (IOException e) {
      call.unknown(e);
    }
  }

  /** Reads, takes its time, and writes, as code does that trusts the lock alone. */
  void writePlain(String key, String holder, long token) throws InterruptedException {
    Register.Content read = read(key, false);
    Thread.sleep(2);
    Map<String, String> details = details(holder, token);
    if (read != null) {
      details.put(Detail.BASIS, read.value());
    }
    Recorder.Call call = recorder.beginWrite(Action.PLAIN_WRITE, key, details);
    try {
      Register.Content old = register.writePlain(key, token, call.holder());
      call.ok(Map.of(Detail.PREVIOUS, old.value()));
    } catch (IOException e) {
      call.unknown(e);
    }
  }

  /** Reads one of them; null if it is not known what it has. */
  Register.@Nullable Content read(String key, boolean fenced) {
    Recorder.Call call =
        recorder.begin(
            Action.READ_REGISTER,
            List.of(key),
            Map.of(Detail.REGISTER, fenced ? "fenced" : "plain"));
    try {
      Register.Content content = register.read(key, fenced);
      call.ok(
          content.value().isEmpty()
              ? Map.of()
              : Map.of(
                  Detail.TOKEN, Long.toString(content.token()), Detail.VALUE, content.value()));
      return content;
    } catch (IOException e) {
      call.unknown(e);
      return null;
    }
  }

  private static Map<String, String> details(String holder, long token) {
    return Recorder.details(Detail.HOLDER, holder, Detail.TOKEN, Long.toString(token));
  }

  @Override
  public void close() {
    register.close();
  }
}
