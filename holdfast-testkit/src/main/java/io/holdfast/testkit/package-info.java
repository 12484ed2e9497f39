/**
 * What tests of locks need and an ordinary test library lacks: a real Redis ({@link
 * io.holdfast.testservers.RedisServer}) and a look inside it ({@link
 * io.holdfast.testservers.RespClient}), a network that fails on request ({@link
 * io.holdfast.testservers.FaultyProxy}), and other processes that can be killed and paused ({@link
 * io.holdfast.testkit.ChildJvm}). Everything stays on the loopback interface and ends with the JVM
 * that started it. Unix only: processes are paused with signals.
 */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
