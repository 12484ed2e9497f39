package io.holdfast.redis.backend;

/** The {@link IoDriver} that a client asks for. */
public enum IoChoice {
  /** The caller loop if the class path has what it needs, else an event loop of Netty. */
  AUTOMATIC,
  /** The caller loop, or an exception that names what is missing. */
  CALLER,
  /** An event loop of Netty. */
  NETTY
}
