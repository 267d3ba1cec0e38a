package io.argosy.node.files;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Asks the kernel what Java has no word for. All calls go through the one C function {@code syscall}: linking a function costs the first
 * pod tens of milliseconds, and this way there is one to link, when it is first used. A call holds its carrier thread, so whatever may
 * block for long belongs on a platform thread.
 */
@SuppressWarnings("restricted") // native access is what this class is for
public final class SystemCall {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int EINVAL = 22;

    private static final int EINTR = 4;
    private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                    Linker.Option.captureCallState("errno"),
                    Linker.Option.firstVariadicArg(1));

    private SystemCall() {}

    /** Throws {@link Failed}; {@code what} says what was tried. */
    public static long call(String what, long number, long a, long b, long c, long d) throws Failed {
        return call(what, number, a, b, c, d, 0);
    }

    public static long call(String what, long number, long a, long b, long c, long d, long e) throws Failed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(ERRNO_LAYOUT);
            while (true) {
                long result = (long) SYSCALL.invokeExact(errno, number, a, b, c, d, e);
                if (result >= 0) {
                    return result;
                }
                int error = (int) ERRNO.get(errno, 0L);
                if (error != EINTR) {
                    throw new Failed(what, error);
                }
            }
        } catch (Failed failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException(what, failure);
        }
    }

    /** A call that the kernel refused, with its reason. */
    public static final class Failed extends IOException {
        private static final long serialVersionUID = 1L;
        private final int number;

        private Failed(String what, int number) {
            super(what + ": " + words(number));
            this.number = number;
        }

        public int number() {
            return number;
        }

        private static String words(int number) {
            return switch (number) {
                case EPERM -> "operation not permitted";
                case ENOENT -> "no such file or directory";
                case ESRCH -> "no such process";
                case EIO -> "input/output error";
                case EAGAIN -> "try again";
                case 12 -> "out of memory";
                case 13 -> "permission denied";
                case 16 -> "device or resource busy";
                case 17 -> "file exists";
                case 18 -> "leads out of the folder";
                case 20 -> "not a directory";
                case EINVAL -> "invalid argument";
                case 24 -> "too many open files";
                case 25, 38, 95 -> "not supported";
                case 28 -> "no space left on device";
                case 40 -> "too many links";
                case 111 -> "connection refused";
                default -> "errno " + number;
            };
        }
    }
}
