package io.holdfast.torture.client;

/**
 * What a thread does next, drawn before it does it.
 *
 * @param primitive of what
 * @param key which of its keys
 * @param how by which method
 * @param permits of a semaphore; of a latch what to do: 0 set, 1 count down, 2 wait
 * @param waitMillis how long to wait at most; negative for as long as it takes
 * @param holdMillis how long to stay inside
 * @param fixedLease true for a lease that is not renewed
 * @param reenter how often to enter again while inside
 * @param write true to write to the registers while inside
 * @param pauseMillis how long to wait before the next one
 */
public record Operation(
    Primitive primitive,
    String key,
    How how,
    int permits,
    long waitMillis,
    long holdMillis,
    boolean fixedLease,
    int reenter,
    boolean write,
    long pauseMillis) {}
