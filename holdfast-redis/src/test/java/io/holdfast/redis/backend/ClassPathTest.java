package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class ClassPathTest {
  /** A class path without Netty and Lettuce. */
  private static final ClassPath EMPTY =
      new ClassPath(new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader()));

  @Test
  void theClassesOfTheCurrentLettuceAndNettyAreFound() {
    assertThat(CallerIoSupport.missingOfNetty(ClassPath.ours())).isNull();
    assertThat(CallerIoSupport.missingOfSockets("io.netty.channel.socket.nio.NioSocketChannel"))
        .isNull();
    assertThat(LeanClientSupport.isPresent(ClassPath.ours())).isTrue();
  }

  @Test
  void missingClassesAreNamed() {
    assertThat(CallerIoSupport.missingOfNetty(EMPTY))
        .contains("Netty 4.2", "io.netty.channel.IoEventLoop");
    assertThat(CallerIoSupport.missingOfSockets("io.netty.channel.epoll.EpollSocketChannel"))
        .contains("native transport", "EpollSocketChannel", "io.lettuce.core.epoll");
    assertThat(LeanClientSupport.isPresent(EMPTY)).isFalse();
  }

  @Test
  void aClassCanBeExtendedIfItIsNotFinalAndHasTheConstructor() {
    ClassPath path = ClassPath.ours();
    String text = "java.lang.String";
    assertThat(path.canExtend("java.lang.RuntimeException", text)).isTrue();
    assertThat(path.canExtend("java.lang.RuntimeException", text, text)).isFalse();
    assertThat(path.canExtend("java.lang.String", text)).as("final").isFalse();
    assertThat(path.canExtend("java.lang.NoSuchClass", text)).isFalse();
  }
}
