package io.argosy.operators.etcd;

import com.google.protobuf.ByteString;
import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.MemberAddRequest;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.MemberPromoteRequest;
import io.etcd.jetcd.api.MemberRemoveRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.SnapshotRequest;
import io.etcd.jetcd.api.SnapshotResponse;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.AbstractStub;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLException;

/** Real etcd, by jetcd's messages and stubs. A connection lives as long as one question; all share the same network threads. */
public final class JetcdEtcd implements Etcd {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final ByteString ANY_KEY = ByteString.copyFromUtf8("health");

    @Override
    public MemberStatus status(Endpoint endpoint) {
        return ask(endpoint, JetcdEtcd::status);
    }

    private static MemberStatus status(ManagedChannel channel) {
        StatusResponse answer =
                in(PATIENCE, MaintenanceGrpc.newBlockingStub(channel)).status(StatusRequest.getDefaultInstance());
        return new MemberStatus(
                answer.getHeader().getClusterId(),
                answer.getHeader().getMemberId(),
                answer.getLeader(),
                answer.getRaftIndex(),
                answer.getHeader().getRevision(),
                answer.getVersion(),
                List.copyOf(answer.getErrorsList()));
    }

    /** Reads a key first, which takes a majority: older versions list their members also without one. */
    @Override
    public Membership members(Endpoint endpoint) {
        return ask(endpoint, channel -> {
            boolean guarded = isGuarded(channel);
            return new Membership(list(channel), guarded);
        });
    }

    /** etcd asks the majority before it asks who we are, so that a refusal for want of a user is an answer of the majority too. */
    private static boolean isGuarded(ManagedChannel channel) {
        try {
            in(PATIENCE, KVGrpc.newBlockingStub(channel))
                    .range(RangeRequest.newBuilder().setKey(ANY_KEY).build());
            return false;
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.PERMISSION_DENIED || isWantOfUser(e.getStatus())) {
                return true;
            }
            throw e;
        }
    }

    private static boolean isWantOfUser(Status status) {
        return status.getDescription() != null && status.getDescription().contains("user name is empty");
    }

    @Override
    public List<ListedMember> rememberedMembers(Endpoint endpoint) {
        return ask(endpoint, JetcdEtcd::list);
    }

    @Override
    public List<String> clientUrls(Endpoint endpoint) {
        return ask(endpoint, JetcdEtcd::listed).stream()
                .flatMap(member -> member.getClientURLsList().stream())
                .toList();
    }

    private static List<Member> listed(ManagedChannel channel) {
        return in(PATIENCE, ClusterGrpc.newBlockingStub(channel))
                .memberList(MemberListRequest.getDefaultInstance())
                .getMembersList();
    }

    private static List<ListedMember> list(ManagedChannel channel) {
        return listed(channel).stream()
                .map(member -> new ListedMember(
                        member.getID(), member.getName(), member.getIsLearner(), List.copyOf(member.getPeerURLsList())))
                .toList();
    }

    @Override
    public void add(Endpoint endpoint, String peerUrl, boolean learner) {
        ask(
                endpoint,
                channel -> in(PATIENCE, ClusterGrpc.newBlockingStub(channel))
                        .memberAdd(MemberAddRequest.newBuilder()
                                .addPeerURLs(peerUrl)
                                .setIsLearner(learner)
                                .build()));
    }

    @Override
    public void promote(Endpoint endpoint, long id) {
        ask(
                endpoint,
                channel -> in(PATIENCE, ClusterGrpc.newBlockingStub(channel))
                        .memberPromote(
                                MemberPromoteRequest.newBuilder().setID(id).build()));
    }

    @Override
    public void remove(Endpoint endpoint, long id) {
        try {
            ask(
                    endpoint,
                    channel -> in(PATIENCE, ClusterGrpc.newBlockingStub(channel))
                            .memberRemove(
                                    MemberRemoveRequest.newBuilder().setID(id).build()));
        } catch (EtcdException e) {
            if (!(e.getCause() instanceof StatusRuntimeException refused)
                    || refused.getStatus().getCode() != Status.Code.NOT_FOUND) {
                throw e;
            }
        }
    }

    /** One channel is one connection, and so one member, also behind a Service. */
    @Override
    public MemberStatus snapshot(Endpoint endpoint, OutputStream into, Duration patience) {
        return ask(endpoint, channel -> {
            MemberStatus member = status(channel);
            Iterator<SnapshotResponse> parts = in(patience, MaintenanceGrpc.newBlockingStub(channel))
                    .snapshot(SnapshotRequest.getDefaultInstance());
            try {
                while (parts.hasNext()) {
                    parts.next().getBlob().writeTo(into);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return member;
        });
    }

    private static <S extends AbstractStub<S>> S in(Duration patience, S stub) {
        return stub.withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static <T> T ask(Endpoint endpoint, Function<ManagedChannel, T> question) {
        ManagedChannel channel = connect(endpoint);
        try {
            return question.apply(channel);
        } catch (StatusRuntimeException e) {
            throw new EtcdException(endpoint.url() + ": " + said(e), e);
        } finally {
            channel.shutdownNow();
        }
    }

    /** What etcd said, or what the connection failed of. */
    private static String said(StatusRuntimeException e) {
        Throwable cause = e.getCause();
        return cause == null || cause.getMessage() == null
                ? e.getMessage()
                : e.getMessage() + ": " + cause.getMessage();
    }

    private static ManagedChannel connect(Endpoint endpoint) {
        URI uri = URI.create(endpoint.url());
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(uri.getHost(), uri.getPort()).maxInboundMessageSize(64 << 20);
        ClientCredentials credentials = endpoint.credentials();
        if (credentials == null) {
            return builder.usePlaintext().build();
        }
        try {
            return builder.overrideAuthority(endpoint.host())
                    .sslContext(GrpcSslContexts.forClient()
                            .trustManager(pem(credentials.authority()))
                            .keyManager(pem(credentials.certificate()), pem(credentials.key()))
                            .build())
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new EtcdException("the operator's certificate for etcd cannot be used: " + e.getMessage(), e);
        }
    }

    private static InputStream pem(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
