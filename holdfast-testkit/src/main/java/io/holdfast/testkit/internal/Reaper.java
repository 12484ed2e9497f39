package io.holdfast.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Clears up when this JVM is killed outright, which runs no shutdown hook. It is a small shell that
 * reads from a pipe which processes were started ({@code +}) and have ended ({@code -}), and which
 * directories were made ({@code d}). The operating system closes the pipe when the JVM is gone,
 * however it went; the shell then kills and removes what is left.
 */
public final class Reaper {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      live=
      directories=
      while read -r kind item; do
        case $kind in
          +) live="$live $item" ;;
          -) rest=
             for pid in $live; do [ "$pid" = "$item" ] || rest="$rest $pid"; done
             live=$rest ;;
          d) directories="$directories$item
      " ;;
        esac
      done
      [ -z "$live" ] || kill -KILL $live
      printf %s "$directories" | while read -r directory; do
        case $directory in */holdfast-*) rm -rf -- "$directory" ;; esac
      done
      """;

  private @Nullable Writer pipe;

  public void watch(Process process) throws IOException {
    tell("+ " + process.pid());
    process
        .onExit()
        .thenAccept(
            ended -> {
              try {
                tell("- " + ended.pid());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /** A process that somebody else started on our behalf. */
  public void watch(ProcessHandle process) throws IOException {
    tell("+ " + process.pid());
  }

  public void watch(Path directory) throws IOException {
    tell("d " + directory);
  }

  private synchronized void tell(String line) throws IOException {
    if (pipe == null) {
      pipe =
          new ProcessBuilder("/bin/sh", "-c", SCRIPT)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .outputWriter(StandardCharsets.UTF_8);
    }
    pipe.write(line + "\n");
    pipe.flush();
  }
}
