package io.holdfast.torture.nemesis;

/**
 * A fault of a plan.
 *
 * @param id the number in the plan
 * @param kind what
 * @param startMillis when, counted from the beginning of the work
 * @param durationMillis for how long
 * @param target which client or server
 * @param key which key, where it is about one
 */
public record PlannedFault(
    int id, FaultKind kind, long startMillis, long durationMillis, int target, String key) {}
