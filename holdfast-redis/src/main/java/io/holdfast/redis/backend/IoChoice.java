package io.holdfast.redis.backend;

/** Which {@link IoDriver} a client is to have. */
public enum IoChoice {
  /** The caller loop if the class path has what it needs, else an event loop of Netty. */
  AUTOMATIC,
  /** The caller loop, or a fault that says what is missing. */
  CALLER,
  /** An event loop of Netty. */
  NETTY
}
