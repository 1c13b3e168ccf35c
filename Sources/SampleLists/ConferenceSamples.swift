import JSONValue
import Layouts
import ListModel
import Texts

// MARK: - Videos

private let collections: [(title: ByteText, videos: [(title: ByteText, category: ByteText)])] = [
    (
        "Where to Begin",
        [("A List in an Hour", "Tutorials"), ("From an Array to a Section", "Tutorials")]
    ),
    (
        "Lists and Layouts",
        [
            ("Rows That Know Their Place", "Layout"), ("Groups inside Groups", "Layout"),
            ("Scrolling Both Ways", "Layout"), ("Headers That Stay", "Layout"),
        ]
    ),
    (
        "Data That Moves",
        [
            ("What Changed?", "Data"), ("The Fewest Moves", "Data"), ("Identity Is Everything", "Data"),
            ("Two Writers, One List", "Concurrency"), ("Undo for Everybody", "Data"),
        ]
    ),
    (
        "On the Server",
        [
            ("Swift behind the Socket", "Server"), ("Streams without Queues", "Server"),
            ("Durable before You Know It", "Storage"), ("Measure, Then Believe", "Performance"),
            ("The Slow Reader", "Server"), ("A Crash Every Minute", "Reliability"),
            ("One Log to Keep Them", "Storage"),
        ]
    ),
    (
        "For Everyone",
        [
            ("Lists You Can Hear", "Accessibility"), ("Dragging without a Mouse", "Accessibility"),
            ("Right to Left", "Localization"), ("Less Motion, Please", "Accessibility"),
            ("Contrast in the Dark", "Design"),
        ]
    ),
]

private func videoGroup(width: Double) -> Group {
    Group(.horizontal, width: .fractionalWidth(width), height: .absolute(250), .repeated(.whole()))
}

private let videoRow = Layout(
    .orthogonal(
        .continuous,
        Groups(
            videoGroup(width: 0.85), variants: [GroupVariant(when: .widthAbove(500), videoGroup(width: 0.425))],
            interGroupSpacing: 20)),
    insets: .sides(20), interSectionSpacing: 20,
    supplementaries: [Supplementary(.header, elementKind: "title-element-kind", alignment: .top, insets: .all(10))],
    cells: ["video": Cell(.custom("video"), text: "title", secondaryText: "category")])

extension Sample {
    var conferenceVideosSnapshot: WantedSnapshot {
        let sections = collections.map { collection in
            let id = slug(of: collection.title)
            var namer = ItemNamer(section: id)
            let items = collection.videos.map { video in
                NewItem(
                    namer.name(for: video.title), kind: "video",
                    content: ["title": .string(video.title), "category": .string(video.category)])
            }
            return WantedSection(id, title: collection.title, whole: items)
        }
        return WantedSnapshot(title: title, layout: videoRow, whole: sections)
    }
}

// MARK: - News

private let news: [(title: ByteText, date: ByteText, body: ByteText)] = [
    (
        "The Doors Open on Monday", "2026-05-29",
        "Badges can be collected from Sunday noon. Bring something to sign with, and a bottle for water."
    ),
    (
        "Labs Are Open for Booking", "2026-05-30",
        "Engineers are there for an hour at a time. Bring the project that does not scroll as it should."
    ),
    (
        "An Evening in the Park", "2026-06-01",
        "Wednesday ends outdoors, with music and long tables. If it rains we meet in the main hall."
    ),
    (
        "All Talks Can Be Watched Again", "2026-06-03",
        "Recordings appear a day after each talk, with captions. Slides and code come with them."
    ),
    (
        "Thank You, and See You Soon", "2026-06-06",
        "Five days, twenty-three talks and more lists than anybody counted. We read every word of your feedback."
    ),
]

extension Sample {
    var conferenceNewsSnapshot: WantedSnapshot {
        let item = GroupItem(width: .fractionalWidth(1), height: .estimated(100))
        let group = Group.row(height: .estimated(100), .repeated(item, count: 1))
        let layout = Layout(
            .grid(Groups(group, interGroupSpacing: 10)), insets: .all(10),
            cells: ["article": Cell(.custom("article"), text: "title", secondaryText: "date")])
        var namer = ItemNamer(section: "main")
        let items = news.map { article in
            NewItem(
                namer.name(for: article.title), kind: "article",
                content: [
                    "title": .string(article.title), "date": .string(article.date), "body": .string(article.body),
                ])
        }
        return WantedSnapshot(title: title, layout: layout, whole: [WantedSection("main", whole: items)])
    }
}
