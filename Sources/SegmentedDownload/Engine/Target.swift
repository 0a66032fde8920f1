internal import SegmentedDownloadCore

/// Where a download goes: the folder and the names in it.
struct Target {
    let folder: Folder
    let names: FileNames

    /// Chooses the name, and makes the folder where it is missing.
    ///
    /// - Parameter folder: The folder, where it was there before (``existingFolder(_:)``).
    init(
        _ request: DownloadRequest,
        in folder: Folder?,
        probe: Probe,
        requestedURL: HTTPURL
    ) throws(DownloadError) {
        let folder =
            if let folder {
                folder
            } else {
                try Folder.open(
                    path: request.directory,
                    creating: true,
                    syncing: request.syncs,
                    advice: request.advice
                )
            }
        if let output = request.output {
            try self.init(folder: folder, output: output, request)
            return
        }
        let chosen = FileName.choose(
            contentDisposition: probe.contentDisposition,
            requestedURLPath: requestedURL.path,
            finalURLPath: probe.url.path,
            limit: folder.longestNameByteCount
        )
        try self.init(folder: folder, output: chosen, request)
    }

    /// The target that `-o` alone names; `nil` where the server has a say.
    init?(named request: DownloadRequest, in folder: Folder) throws(DownloadError) {
        guard let output = request.output else { return nil }
        try self.init(folder: folder, output: output, request)
    }

    private init(folder: Folder, output: String, _ request: DownloadRequest) throws(DownloadError) {
        self.folder = folder
        let name = Folder.parts(of: output).name
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0) else {
            throw DownloadError(
                .localFile,
                "'\(output)' names no file: \(folder.advice.name) takes a file's name or path, and \(folder.advice.folder) a folder."
            )
        }
        // A part file or journal of another download would be replaced, or taken for this one's.
        guard !FileName.isReserved(name) else {
            throw DownloadError(
                .localFile,
                "'\(output)' is named like a part file or journal of segdl; choose another name with \(folder.advice.name)."
            )
        }
        names = try Self.names(name, in: folder, request.existing)
        guard names.final.utf8.count + FileNames.longestSuffixByteCount <= folder.longestNameByteCount else {
            throw DownloadError(
                .localFile,
                "The name is too long: with '.segdl.journal' it has more than the \(folder.longestNameByteCount) bytes that "
                    + "the file system takes; choose a shorter one with \(folder.advice.name)."
            )
        }
    }

    private static func directory(of request: DownloadRequest) -> String {
        request.directory.isEmpty ? "." : request.directory
    }

    private static func folderPath(of output: String, _ request: DownloadRequest) -> String {
        let directory = directory(of: request)
        guard let path = Folder.parts(of: output).folder else { return directory }
        return output.unicodeScalars.first == "/" || directory == "." ? path : "\(directory)/\(path)"
    }

    /// The path that the request alone names, whatever is there; `nil` where the server or the folder has a say.
    static func namedPath(_ request: DownloadRequest) -> String? {
        guard let output = request.output, request.existing != .rename else { return nil }
        return Folder.path(of: Folder.parts(of: output).name, in: folderPath(of: output, request))
    }

    /// The folder that the file will go to, as it is before the server has said anything; makes none. `-d` is made later
    /// where it is missing; a folder that `-o` names in it must be there.
    ///
    /// - Returns: `nil` where `-d` is still to be made.
    /// - Throws: `localFile` where it can't be opened, or is missing and won't be made.
    static func existingFolder(_ request: DownloadRequest) throws(DownloadError) -> Folder? {
        let output = request.output ?? ""
        let folder = try Folder.find(path: folderPath(of: output, request), advice: request.advice)
        // Of a `-d` that is missing, nothing but itself can be there once it was made.
        guard folder == nil, let inner = Folder.parts(of: output).folder?.split(separator: "/"),
            output.unicodeScalars.first == "/" || inner.contains(where: { $0 != "." })
        else { return folder }
        return try Folder.open(path: folderPath(of: output, request), creating: false)
    }

    /// With `rename`, the first name that no file has; its part file is resumed.
    private static func names(
        _ name: String,
        in folder: Folder,
        _ policy: DownloadRequest.ExistingFilePolicy
    ) throws(DownloadError) -> FileNames {
        guard policy == .rename, try folder.fileStatus(name) != nil else { return FileNames(final: name) }
        var number = 1
        while try folder.fileStatus("\(name).\(number)") != nil {
            // What a run left that was killed right after it had given the file this name: no later one will look here.
            try PublishedLeftovers.remove(in: folder, names: FileNames(final: "\(name).\(number)"))
            number += 1
        }
        return FileNames(final: "\(name).\(number)")
    }

    var path: String { folder.path(of: names.final) }
}
