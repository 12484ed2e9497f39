/**
 * An event loop for Netty whose work is done by the threads that wait for it. With an ordinary loop
 * a command costs four wake-ups, one after the other: the loop thread, the server, the loop thread
 * again, the caller. Here the caller sends on its own thread and, if no other thread waits at the
 * sockets, reads the answer itself. Then a command costs two wake-ups: the server and the caller.
 *
 * <pre>
 *   ordinary:  caller --wakes--> loop --> server --> loop --wakes--> caller
 *   here:      caller --> server --> caller
 *                 '---- or, if other callers wait: server --> loop thread --wakes--> caller
 * </pre>
 *
 * {@code CallerLoop} is the loop: tasks, timers, channels, and one thread at a time that has the
 * turn. {@code Watch} is about the thread that waits at the sockets, and {@code WatchPolicy} has
 * its rules. {@code ReadyChannels} is the selector. {@code CallerLoopProvider} gives the loop to
 * Lettuce.
 */
@NullMarked
package io.holdfast.redis.loop;

import org.jspecify.annotations.NullMarked;
