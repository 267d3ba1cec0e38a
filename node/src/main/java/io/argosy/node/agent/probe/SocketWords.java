package io.argosy.node.agent.probe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Locale;

/** What goes wrong on a socket, in the words that kubelet's events have of it and people look for. */
final class SocketWords {
    private SocketWords() {}

    /** Of a connection that did not come about. */
    static String dialling(InetSocketAddress address, IOException e) {
        if (e instanceof UnknownHostException) {
            return "dial tcp: lookup " + address.getHostString() + ": no such host";
        }
        return "dial tcp " + place(address.getAddress(), address.getPort()) + ": connect: " + small(e);
    }

    /** Of a connection that broke. */
    static String talking(Socket socket, IOException e) {
        if (!(e instanceof SocketException) || socket.getInetAddress() == null) {
            return String.valueOf(e.getMessage());
        }
        boolean wrote = String.valueOf(e.getMessage()).contains("Broken pipe");
        String deed = wrote ? "write" : "read";
        String words = small(e).equals("connection reset") ? "connection reset by peer" : small(e);
        return deed + " tcp " + place(socket.getLocalAddress(), socket.getLocalPort()) + "->"
                + place(socket.getInetAddress(), socket.getPort()) + ": " + deed + ": " + words;
    }

    private static String place(InetAddress address, int port) {
        return Target.joined(address == null ? "" : address.getHostAddress(), port);
    }

    private static String small(IOException e) {
        String words = e.getMessage() == null ? e.toString() : e.getMessage();
        return words.isEmpty() ? words : words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
    }
}
