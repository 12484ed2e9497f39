package io.holdfast.spi;

/**
 * Which lock manager this is, for the store and for people who ask who holds a lock.
 *
 * @param clientId unique, unguessable, without a colon
 * @param host name of the machine
 * @param pid process id
 * @param application what the application calls itself
 */
public record ClientIdentity(String clientId, String host, long pid, String application) {}
