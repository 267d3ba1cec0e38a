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

/** Asks the kernel what Java has no word for; linked when it is first used. */
@SuppressWarnings("restricted") // native access is what this class is for
final class SystemCall {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EAGAIN = 11;
    static final int EINVAL = 22;

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
    static long call(String what, long number, long a, long b, long c, long d) throws IOException {
        return call(what, number, a, b, c, d, 0);
    }

    static long call(String what, long number, long a, long b, long c, long d, long e) throws IOException {
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
        } catch (IOException failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IOException(what, failure);
        }
    }

    /** A call that the kernel refused. */
    static final class Failed extends IOException {
        private static final long serialVersionUID = 1L;
        private final int number;

        private Failed(String what, int number) {
            super(what + ": "
                    + switch (number) {
                        case EPERM -> "operation not permitted";
                        case ENOENT -> "no such file or directory";
                        case ESRCH -> "there is none";
                        case 5 -> "input/output error";
                        case EAGAIN -> "try again";
                        case 17 -> "file exists";
                        case 18 -> "leads out of the folder";
                        case 20 -> "not a directory";
                        case EINVAL -> "invalid argument";
                        case 25, 38, 95 -> "not supported";
                        case 28 -> "no space left on device";
                        case 40 -> "too many links";
                        default -> "errno " + number;
                    });
            this.number = number;
        }

        int number() {
            return number;
        }
    }
}
