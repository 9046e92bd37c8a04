/// The promises Tenure is built on, by letter and number.
///
/// D documents · S state · W work · V screens · G group · X extensions · T content types.
/// The catalogue with the four faces of each law is `tenure laws`.
public enum Law: String, CaseIterable, Hashable, Sendable, Codable {
  case d1 = "D1"
  case d2 = "D2"
  case d3 = "D3"
  case d4 = "D4"
  case d5 = "D5"
  case d6 = "D6"
  case d7 = "D7"
  case d8 = "D8"
  case d9 = "D9"
  case d10 = "D10"
  case d11 = "D11"
  case d12 = "D12"
  case d13 = "D13"
  case d14 = "D14"
  case s1 = "S1"
  case s2 = "S2"
  case s3 = "S3"
  case s4 = "S4"
  case s5 = "S5"
  case s6 = "S6"
  case s7 = "S7"
  case w1 = "W1"
  case w2 = "W2"
  case w3 = "W3"
  case w4 = "W4"
  case w5 = "W5"
  case w6 = "W6"
  case w7 = "W7"
  case w8 = "W8"
  case v1 = "V1"
  case v2 = "V2"
  case v3 = "V3"
  case v4 = "V4"
  case v5 = "V5"
  case v6 = "V6"
  case v7 = "V7"
  case g2 = "G2"
  case g3 = "G3"
  case g4 = "G4"
  case g5 = "G5"
  case g6 = "G6"
  case g7 = "G7"
  case g8 = "G8"
  case x1 = "X1"
  case x2 = "X2"
  case x3 = "X3"
  case x4 = "X4"
  case x5 = "X5"
  case x6 = "X6"
  case x7 = "X7"
  case x8 = "X8"
  case t1 = "T1"
  case t2 = "T2"
  case t3 = "T3"
  case t4 = "T4"
  case t5 = "T5"

  /// The law's few words, such as "no silent overwrite".
  public var title: String { text.title }

  /// What the law says.
  public var sentence: String { text.sentence }

  private var text: (title: String, sentence: String) {
    switch self {
    case .d1:
      (
        "durable",
        """
        When commit says committed, the edit survives a kill and a power cut at any later instant (on a \
        device that honours flushes). An outcome that cannot be known is in doubt, never \"failed\".
        """
      )
    case .d2:
      (
        "one change, one effect",
        """
        A change ID sent again returns the recorded result and the current revision. The same ID with \
        other content is an error.
        """
      )
    case .d3:
      (
        "no silent overwrite",
        """
        An edit whose expected version is not the current one gets a conflict carrying the current \
        revision. Equal numbers never count as \"the same edit\".
        """
      )
    case .d4:
      (
        "versions never go back",
        """
        A slow write of v8 that finishes after v9 cannot become current again.
        """
      )
    case .d5:
      (
        "body and version are one",
        """
        No reader sees the body of one version under the number of another; a torn or unverified file \
        never becomes current.
        """
      )
    case .d6:
      (
        "drafts come back",
        """
        After any interruption every checkpointed draft, and every unfinished operation, is offered \
        again with its base version and how that stands to the current one.
        """
      )
    case .d7:
      (
        "the background flush is bounded",
        """
        At its deadline a flush answers saved, unsaved and in doubt for each item, and starts nothing \
        more.
        """
      )
    case .d8:
      (
        "merging needs a reason",
        """
        Versions merge only by a rule registered for that kind of document, against the common base. \
        Without one the conflict stays.
        """
      )
    case .d9:
      (
        "history is complete",
        """
        A consumer sees every change, in order, at least once, and exactly once where its effect commits \
        with its token. Too old a token gets \"start from a snapshot\", never a gap.
        """
      )
    case .d10:
      (
        "UI state is the scene's",
        """
        Selection, scroll and panels belong to one scene; the document belongs to all. Neither is stored \
        in the other.
        """
      )
    case .d11:
      (
        "cancelling never un-commits",
        """
        A cancelled task's queued commit still has one true outcome, which can be asked for by change \
        ID.
        """
      )
    case .d12:
      (
        "old code meets new schema",
        """
        An already open older process notices inside its next transaction, and writes nothing.
        """
      )
    case .d13:
      (
        "growth has a bound",
        """
        WAL, history, bodies, drafts, traces, ledgers: each states its bound and keeps it, or refuses \
        and names who is in the way.
        """
      )
    case .d14:
      (
        "a restored container is a new epoch",
        """
        Tokens, leases and outboxes of before a restore are recognised as such.
        """
      )
    case .s1:
      (
        "subscribe is one step",
        """
        Registering and taking the first snapshot (with its version) happen in one serial step; the \
        first snapshot is the return value. Nothing is missed, nothing comes twice.
        """
      )
    case .s2:
      (
        "late snapshots lose",
        """
        A snapshot never replaces a newer one, whatever the arrival order.
        """
      )
    case .s3:
      (
        "deltas have no gaps",
        """
        Deltas apply in sequence; a gap is replayed from the log or answered by a snapshot.
        """
      )
    case .s4:
      (
        "membership during a broadcast",
        """
        Cancelled before its turn: not called. Added during a broadcast: first called by the next one. \
        Cancelling twice: harmless. One receiver's failure is its own.
        """
      )
    case .s5:
      (
        "no user code under a lock",
        """
        Callbacks, deinitialisers, releases of closures and resumed continuations all run outside every \
        lock. A slow handler does not hold the sender up unless it asked to be called inline, and is \
        seen.
        """
      )
    case .s6:
      (
        "a signal is not the truth",
        """
        Broadcasts carry names, IDs and versions; values are read from the store. Secrets have no field \
        to ride in.
        """
      )
    case .s7:
      (
        "observers are weak, calls are safe",
        """
        A dead observer is skipped and forgotten; a live one stays alive for the length of its call.
        """
      )
    case .w1:
      (
        "one outcome",
        """
        Of success, failure and cancellation exactly one is delivered, once, where it was asked for.
        """
      )
    case .w2:
      (
        "required work has an owner",
        """
        Work that must finish belongs to a service and outlives the screen; the screen watches it \
        weakly.
        """
      )
    case .w3:
      (
        "screen work ends with the screen",
        """
        A result of an older generation, or for an inactive screen, is dropped in the same UI step that \
        would have shown it.
        """
      )
    case .w4:
      (
        "shared work is shared",
        """
        One watcher leaving does not cancel or fail the others; what the last one leaving does is the \
        service's stated policy.
        """
      )
    case .w5:
      (
        "finished work lets go",
        """
        Handle, timer, closure, buffer and temporary file are released at the end, also when the screen \
        went first, and never before the I/O that uses them has ended.
        """
      )
    case .w6:
      (
        "handed over once",
        """
        An operation ID is handed to the other side once; what happened after a crash is indeterminate, \
        settled by asking, never by elapsed time or by sending again.
        """
      )
    case .w7:
      (
        "cancelling is a request",
        """
        The ledger holds what really happened, not what was asked.
        """
      )
    case .w8:
      (
        "an edit takes its work along",
        """
        An edit and the operations it calls for are accepted in one transaction (the outbox): neither \
        exists without the other.
        """
      )
    case .v1:
      (
        "four different events",
        """
        Loading, appearing, disappearing and being released are recorded apart, with object identity.
        """
      )
    case .v2:
      (
        "appearance is a four-state machine",
        """
        Appearing, appeared, disappearing, disappeared; a cancelled transition turns round in the \
        middle; containers forward every turn, once.
        """
      )
    case .v3:
      (
        "coming back adds nothing",
        """
        Subscriptions, timers, observers and subviews do not grow with reappearance; one subscription \
        per screen and key.
        """
      )
    case .v4:
      (
        "visible means visible",
        """
        Visible time counts only while appeared, in an active scene, and not known to be covered.
        """
      )
    case .v5:
      (
        "coordinates are converted",
        """
        Points and rectangles move through the tree (bounds origin, scroll, zoom, transform); a bounding \
        box is never written back as a frame.
        """
      )
    case .v6:
      (
        "measured after layout",
        """
        Geometry is read after the layout pass that settles it; model and presentation values are told \
        apart.
        """
      )
    case .v7:
      (
        "nothing escapes half-made",
        """
        No registration, callback or task sees an object before its initialisation has ended.
        """
      )
    case .g2:
      (
        "a dead holder frees the lock",
        """
        A killed process leaves no lock held; a process about to be suspended with one is found before \
        the system kills it (0xdead10cc).
        """
      )
    case .g3:
      (
        "replace is atomic",
        """
        A reader sees the old file or the new one, complete and verified, also across a power cut; read- \
        modify-write and append are one step, too.
        """
      )
    case .g4:
      (
        "migration runs once",
        """
        Two processes at once, or one killed half-way: still exactly once; suites never mix; \"cannot be \
        read now\" is never \"empty\".
        """
      )
    case .g5:
      (
        "signals cross processes",
        """
        Another process's change is seen, also when the writer died between committing and signalling; \
        signals coalesce.
        """
      )
    case .g6:
      (
        "writes are attributed",
        """
        Process, app version and time of each write are on record.
        """
      )
    case .g7:
      (
        "one session, one process",
        """
        A background-session identifier is held by one process at a time.
        """
      )
    case .g8:
      (
        "one way in",
        """
        The container is changed through one type; a change that came another way is found.
        """
      )
    case .x1:
      (
        "saved before complete",
        """
        Nothing after complete is relied on: what must last is durable before it.
        """
      )
    case .x2:
      (
        "only what is asked for",
        """
        A representation is produced only when a consumer asks for that type.
        """
      )
    case .x3:
      (
        "files, not bytes",
        """
        A file representation crosses processes in flat memory; its temporary file is gone after the \
        handler unless moved.
        """
      )
    case .x4:
      (
        "activation follows the rule",
        """
        Whether an extension is offered follows from its declared rule and the items' types: yes, no and \
        why, or not documented.
        """
      )
    case .x5:
      (
        "the budget is measured",
        """
        Work scales by the headroom measured now, never by a constant; images are downsampled without \
        decoding the original whole.
        """
      )
    case .x6:
      (
        "metrics come first",
        """
        An extension's record is written before it completes and delivered by whoever runs next.
        """
      )
    case .x7:
      (
        "the point sets the policy",
        """
        Which calls, results, keys and resources an extension has follows from its extension point.
        """
      )
    case .x8:
      (
        "handlers say where they run",
        """
        Load handlers arrive where the caller asked, never on an unnamed queue.
        """
      )
    case .t1:
      (
        "one canonical type",
        """
        Extension, MIME type and OSType tags, and identifiers, are case-insensitive and map to one type.
        """
      )
    case .t2:
      (
        "conformance is a graph",
        """
        Asking for a supertype accepts everything below it, through many parents.
        """
      )
    case .t3:
      (
        "names, not bytes",
        """
        The type of a file comes from its name; reading its content is a separate, explicit question.
        """
      )
    case .t4:
      (
        "unknown is dynamic",
        """
        An unknown tag becomes a dyn. identifier, encoded as the system does and decodable again; none \
        is ever written into code or a plist.
        """
      )
    case .t5:
      (
        "the authority wins",
        """
        An exported declaration beats an imported one, at once, when its owner appears. Reserved \
        namespaces are refused.
        """
      )
    }
  }
}
