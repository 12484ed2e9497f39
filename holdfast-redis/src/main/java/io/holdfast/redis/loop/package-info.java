/**
 * An event loop for Netty whose work is done by the threads that wait for it. With an ordinary one
 * a command costs four wake-ups, one after the other: the loop's thread, the server, the loop's
 * thread again, the caller. Here the caller sends on its own thread and, if no other thread waits
 * at the sockets, reads the answer itself; then only the server must be woken, and the caller.
 *
 * <pre>
 *   ordinary:  caller --wakes--> loop --> server --> loop --wakes--> caller
 *   here:      caller --> server --> caller
 *                 '---- or, when others wait, too: server --> loop's thread --wakes--> caller
 * </pre>
 *
 * {@code CallerLoop} is the loop: tasks, timers, channels, and one thread at a time at work. {@code
 * Watch} says which thread waits at the sockets. {@code ReadyChannels} is the selector. {@code
 * CallerLoopProvider} gives it to Lettuce.
 */
@NullMarked
package io.holdfast.redis.loop;

import org.jspecify.annotations.NullMarked;
