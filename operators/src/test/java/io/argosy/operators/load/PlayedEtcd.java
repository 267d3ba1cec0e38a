package io.argosy.operators.load;

import io.argosy.operators.resource.Names;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.MemberAddRequest;
import io.etcd.jetcd.api.MemberAddResponse;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.MemberListResponse;
import io.etcd.jetcd.api.MemberPromoteRequest;
import io.etcd.jetcd.api.MemberPromoteResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One server that plays the etcd of all pods of simulated nodes, over etcd's own protocol, on whichever address it is asked. It keeps members
 * and no keys, and everybody is always well: it is there to keep an operator busy.
 */
final class PlayedEtcd implements AutoCloseable {
    private static final Context.Key<String> ADDRESS = Context.key("address");

    private final Map<String, List<Member>> clusters = new HashMap<>();
    private final SharedIndexInformer<Pod> pods;
    private final Server server;

    PlayedEtcd(KubernetesClient client, int port) throws IOException {
        pods = client.pods()
                .inAnyNamespace()
                .withLabel(Names.MEMBER_LABEL)
                .runnableInformer(0)
                .addIndexers(Map.of("address", pod -> address(pod)))
                .run();
        server = NettyServerBuilder.forPort(port)
                .intercept(new LocalAddress())
                .addService(new Maintenance())
                .addService(new Keys())
                .addService(new Members())
                .build()
                .start();
    }

    private static List<String> address(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getPodIP() == null
                ? List.of()
                : List.of(pod.getStatus().getPodIP());
    }

    @Override
    public void close() {
        server.shutdownNow();
        pods.close();
    }

    /** Which pod is asked is known by the address it was asked at. */
    private static final class LocalAddress implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            InetSocketAddress local = (InetSocketAddress) call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR);
            return Contexts.interceptCall(
                    Context.current().withValue(ADDRESS, local.getAddress().getHostAddress()), call, headers, next);
        }
    }

    /** The members of the cluster that the asked pod belongs to, after it has joined. */
    private synchronized List<Member> members() {
        Pod pod = pods.getIndexer().byIndex("address", ADDRESS.get()).stream()
                .findFirst()
                .orElseThrow(() -> Status.UNAVAILABLE.asRuntimeException());
        String name = pod.getMetadata().getName();
        List<String> flags = pod.getSpec().getContainers().getFirst().getCommand();
        String peer = flags.stream()
                .filter(flag -> flag.startsWith("--initial-advertise-peer-urls="))
                .map(flag -> flag.substring(flag.indexOf('=') + 1))
                .findFirst()
                .orElseThrow();
        List<Member> members = clusters.computeIfAbsent(
                pod.getMetadata().getOwnerReferences().getFirst().getUid(), cluster -> new ArrayList<>());
        if (members.isEmpty()) {
            members.add(
                    Member.newBuilder().setID(peer.hashCode()).addPeerURLs(peer).build());
        }
        members.replaceAll(member -> member.getPeerURLs(0).equals(peer)
                ? member.toBuilder().setName(name).build()
                : member);
        return members;
    }

    private synchronized ResponseHeader header() {
        List<Member> members = members();
        Pod pod = pods.getIndexer().byIndex("address", ADDRESS.get()).stream()
                .findFirst()
                .orElseThrow();
        long self = members.stream()
                .filter(member -> member.getName().equals(pod.getMetadata().getName()))
                .mapToLong(Member::getID)
                .findFirst()
                .orElseThrow(() -> Status.UNAVAILABLE.asRuntimeException());
        return ResponseHeader.newBuilder()
                .setClusterId(members.getFirst().getID())
                .setMemberId(self)
                .setRevision(1)
                .build();
    }

    private <A> void answer(StreamObserver<A> observer, Supplier<A> question) {
        A answer;
        synchronized (this) {
            answer = question.get();
        }
        observer.onNext(answer);
        observer.onCompleted();
    }

    private final class Maintenance extends MaintenanceGrpc.MaintenanceImplBase {
        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> observer) {
            answer(
                    observer,
                    () -> StatusResponse.newBuilder()
                            .setHeader(header())
                            .setLeader(members().getFirst().getID())
                            .setRaftIndex(10)
                            .setVersion("3.4.23")
                            .build());
        }
    }

    private final class Keys extends KVGrpc.KVImplBase {
        @Override
        public void range(RangeRequest request, StreamObserver<RangeResponse> observer) {
            answer(
                    observer,
                    () -> RangeResponse.newBuilder().setHeader(header()).build());
        }
    }

    private final class Members extends ClusterGrpc.ClusterImplBase {
        @Override
        public void memberList(MemberListRequest request, StreamObserver<MemberListResponse> observer) {
            answer(
                    observer,
                    () -> MemberListResponse.newBuilder()
                            .setHeader(header())
                            .addAllMembers(members())
                            .build());
        }

        @Override
        public void memberAdd(MemberAddRequest request, StreamObserver<MemberAddResponse> observer) {
            answer(observer, () -> {
                members()
                        .add(Member.newBuilder()
                                .setID(request.getPeerURLs(0).hashCode())
                                .addPeerURLs(request.getPeerURLs(0))
                                .setIsLearner(request.getIsLearner())
                                .build());
                return MemberAddResponse.newBuilder().setHeader(header()).build();
            });
        }

        @Override
        public void memberPromote(MemberPromoteRequest request, StreamObserver<MemberPromoteResponse> observer) {
            answer(observer, () -> {
                members()
                        .replaceAll(member -> member.getID() == request.getID()
                                ? member.toBuilder().setIsLearner(false).build()
                                : member);
                return MemberPromoteResponse.newBuilder().setHeader(header()).build();
            });
        }
    }
}
