package io.argosy.store.etcd;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** What etcd's errors mean to a person. */
final class EtcdErrors {
    private EtcdErrors() {}

    /** The failure without what futures wrap around it; jetcd's own, also where it comes from gRPC as it is. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof StatusRuntimeException status ? EtcdExceptionFactory.toEtcdException(status) : cause;
    }

    /** True where nothing was asked for that etcd could not do, but etcd could not be reached or did not answer. */
    static boolean isAway(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof TimeoutException) {
            return true;
        }
        if (!(cause instanceof EtcdException etcd)) {
            return false;
        }
        return switch (etcd.getErrorCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED -> true;
            case UNKNOWN, INTERNAL -> !said(etcd, "etcdserver: "); // broken connections come as these
            default -> false;
        };
    }

    /** True where the token we were given is no longer known, as after a restart of etcd: nothing was done. */
    static boolean isOldToken(Throwable failure) {
        return cause(failure) instanceof EtcdException etcd
                && (etcd.getErrorCode() == ErrorCode.UNAUTHENTICATED
                        || said(etcd, "invalid auth token")
                        || said(etcd, "old revision"));
    }

    static boolean isCompacted(Throwable failure) {
        return cause(failure) instanceof io.etcd.jetcd.common.exception.CompactedException
                || (cause(failure) instanceof EtcdException etcd && said(etcd, "has been compacted"));
    }

    static boolean isFuture(Throwable failure) {
        return cause(failure) instanceof EtcdException etcd && said(etcd, "is a future revision");
    }

    static StoreException explain(EtcdConfig config, Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof StoreException known) {
            return known;
        }
        if (isAway(cause)) {
            return away(config, cause);
        }
        if (cause instanceof EtcdException etcd) {
            if (said(etcd, "space exceeded")) {
                return new StoreException(
                        Reason.NO_SPACE,
                        "etcd at " + config.where() + " has no space left: writes are refused until its operator"
                                + " compacts and defragments it, or raises its quota, and disarms the alarm.",
                        cause);
            }
            boolean refused = etcd.getErrorCode() == ErrorCode.PERMISSION_DENIED
                    || etcd.getErrorCode() == ErrorCode.UNAUTHENTICATED
                    || said(etcd, "authentication failed")
                    || said(etcd, "user name is empty");
            if (refused) {
                return new StoreException(
                        Reason.NO_PERMISSION,
                        "etcd at " + config.where() + " does not let us in (" + cause.getMessage()
                                + "): look at the user, the password and the role, which must allow to read all keys and"
                                + " to write those below /registry/.",
                        cause);
            }
        }
        return new StoreException(
                Reason.UNAVAILABLE, "etcd at " + config.where() + " failed: " + cause.getMessage(), cause);
    }

    static StoreException away(EtcdConfig config, Throwable cause) {
        return new StoreException(
                Reason.UNAVAILABLE,
                "etcd at " + config.where() + " cannot be reached: nothing can be written until it is back.",
                cause);
    }

    private static boolean said(EtcdException etcd, String words) {
        return etcd.getMessage() != null && etcd.getMessage().contains(words);
    }
}
