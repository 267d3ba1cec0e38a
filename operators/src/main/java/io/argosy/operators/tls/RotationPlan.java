package io.argosy.operators.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What to issue now, as a function of what there is and of the time.
 *
 * <p>Certificates are renewed in place: etcd reads them at each handshake. Whom to trust it reads only when it starts, so an authority has a
 * successor that everybody trusts before it signs anything, and is trusted until nothing it signed is in use; members are started anew, one by
 * one, after each of these changes.
 */
public final class RotationPlan {
    private RotationPlan() {}

    /** From when until when something is valid. */
    public record Term(Instant from, Instant until) {
        boolean holds(Instant now) {
            return !now.isBefore(from) && now.isBefore(until);
        }
    }

    /**
     * How long things last.
     *
     * @param overlap how long clients have to learn of a new authority before it signs, and of its certificates before the old one goes
     */
    public record Rules(Duration validity, Duration renewBefore, Duration authorityValidity, Duration overlap) {
        /** An authority that lives no longer than this is replaced: what it signs must not end with it. */
        Duration lead() {
            return validity.plus(renewBefore).plus(overlap).plus(overlap);
        }
    }

    /** Who signs; its key may be lost, and then it signs no more. */
    public record Signer(Term term, boolean hasKey) {}

    /**
     * A certificate and the bundle beside it.
     *
     * @param term null if there is none that can be used
     * @param bySigner whether the present authority signed it
     * @param bundled whether the bundle is what it should be
     * @param asAsked whether it was issued since somebody asked for a new one
     */
    public record Leaf(Use use, Term term, boolean bySigner, boolean bundled, boolean asAsked) {}

    /**
     * Everything the next move is decided by.
     *
     * @param signer null if there is no authority
     * @param next the successor that does not sign yet; null without one
     * @param previous the predecessor that is still trusted; null without one
     * @param since when the last of these changes was
     * @param asked whether somebody asked for a new authority
     * @param membersRenewed whether all members were started with the present bundle
     */
    public record State(
            Signer signer,
            Term next,
            Term previous,
            Instant since,
            boolean asked,
            boolean membersRenewed,
            List<Leaf> leaves,
            Instant now) {}

    /** One thing to write. */
    public sealed interface Move {
        /** A new authority, and nobody else is trusted: there is none whose certificates could still be used. */
        record Begin() implements Move {}

        /** A successor, which is trusted and does not sign yet. */
        record Introduce() implements Move {}

        /** The successor signs from now on; its predecessor is still trusted. */
        record Switch() implements Move {}

        /** The predecessor is trusted no more. */
        record Retire() implements Move {}

        /** A new certificate, with the bundle of today. */
        record Issue(Use use) implements Move {}

        /** The bundle of today, beside the certificate that is there. */
        record Spread(Use use) implements Move {}

        record Rest() implements Move {}
    }

    public static Move next(State state, Rules rules) {
        Instant now = state.now;
        Signer signer = state.signer;
        if (signer == null || !signer.term.holds(now)) {
            return new Move.Begin();
        }
        for (Leaf leaf : state.leaves) {
            boolean unusable = leaf.term == null || !leaf.term.holds(now);
            if (unusable && !signer.hasKey) {
                return new Move.Begin();
            }
            if (signer.hasKey && (unusable || !leaf.bySigner || !leaf.asAsked || isDue(leaf, signer, rules, now))) {
                return new Move.Issue(leaf.use);
            }
            if (!leaf.bundled) {
                return new Move.Spread(leaf.use);
            }
        }
        return authority(state, rules).orElseGet(Move.Rest::new);
    }

    /** Unless a new one would end with the authority too. */
    private static boolean isDue(Leaf leaf, Signer signer, Rules rules, Instant now) {
        return leaf.term.until.isBefore(now.plus(rules.renewBefore)) && leaf.term.until.isBefore(signer.term.until);
    }

    private static Optional<Move> authority(State state, Rules rules) {
        if (!state.membersRenewed) {
            return Optional.empty();
        }
        if (state.next != null) {
            if (!state.next.holds(state.now)) {
                return Optional.of(new Move.Introduce());
            }
            return isOver(state, rules) ? Optional.of(new Move.Switch()) : Optional.empty();
        }
        if (state.previous != null) {
            return isOver(state, rules) ? Optional.of(new Move.Retire()) : Optional.empty();
        }
        boolean ends = state.signer.term.until.isBefore(state.now.plus(rules.lead()));
        return state.asked || ends || !state.signer.hasKey ? Optional.of(new Move.Introduce()) : Optional.empty();
    }

    /** A beginning that is to come is that of a clock that has been set back since, and says nothing. */
    private static boolean isOver(State state, Rules rules) {
        return state.since == null
                || state.since.isAfter(state.now)
                || !state.since.plus(rules.overlap).isAfter(state.now);
    }
}
