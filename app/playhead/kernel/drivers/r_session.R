# What is different in a kernel from R in a terminal: questions, the end, packages, pages of help.

# Puts a function in the place of a package's own, also for who calls it from another package.
.replace <- function(name, value, package = "base") {
    places <- if (package == "base") list(baseenv()) else
        list(asNamespace(package), as.environment(paste0("package:", package)))
    for (place in places) {
        if (!exists(name, envir = place, inherits = FALSE)) next
        unlockBinding(name, place)
        assign(name, value, envir = place)
        lockBinding(name, place)
    }
}

.waiting <- tryCatch(fifo("/dev/fd/0", "rb", blocking = FALSE), error = function(error) NULL)

# The next byte if there is one; nothing there is an error to R.
.byte <- function() tryCatch(readBin(.waiting, "raw", 1L), error = function(error) raw())

# What has been given beyond an earlier question, up to the end of its line; byte by byte, since
# the rest may be for a child.
.read_waiting <- function() {
    bytes <- raw()
    while (length(byte <- .byte()) && byte != 10L) bytes <- c(bytes, byte)
    if (length(byte)) c(bytes, byte) else bytes
}

# By a shell: R itself could not be stopped while it reads. The end of the input is NULL.
.read_rest <- function() {
    read <- suppressWarnings(.real_system("IFS= read -r line; printf '%s\\n' \"$?$line\"", intern = TRUE))
    if (length(read) == 0L) return(NULL)  # stopped
    line <- substr(read[1], 2L, nchar(read[1]))
    if (substr(read[1], 1L, 1L) == "0" || nzchar(line)) line
}

.ask_mark <- function(prompt, secret) {
    .block$questions <- .block$questions + 1L
    id <- paste0(.block$id, "-", .block$questions)
    prompt <- substr(enc2utf8(paste(as.character(prompt), collapse = " ")), 1L, 250L)
    mark("input", paste0("\"id\":", .ascii(json_text(id)), ",\"prompt\":",
        .ascii(json_text(prompt)), ",\"secret\":", if (secret) "true" else "false"))
    .block$line <- NA
}

# One line of a person, NULL when there is no more input.
.ask <- function(prompt = "", secret = FALSE) {
    bytes <- .read_waiting()
    count <- length(bytes)
    if (count && bytes[count] == 10L) {
        line <- rawToChar(bytes[-count])
    } else {
        if (!count) .ask_mark(prompt, secret)
        rest <- .read_rest()
        if (is.null(rest) && !count) return(NULL)
        line <- paste0(rawToChar(bytes), rest)
    }
    Encoding(line) <- "UTF-8"
    line
}

.is_input <- function(con) {
    if (is.character(con)) return(identical(con, "stdin") || identical(con, ""))
    inherits(con, "connection") && (con == 0L || identical(summary(con)$description, "stdin"))
}

.ask_lines <- function(count) {
    lines <- character()
    while (count < 0L || length(lines) < count) {
        line <- .ask()
        if (is.null(line)) break
        lines <- c(lines, line)
    }
    lines
}

.readline <- function(prompt = "") {
    line <- .ask(prompt)
    if (is.null(line)) "" else line
}

.real_readLines <- readLines
.readLines <- function(con = stdin(), n = -1L, ...) {
    if (.is_input(con)) .ask_lines(n) else .real_readLines(con, n, ...)
}

# Up to an empty line, as at R's prompt, or as much as was asked for.
.real_scan <- scan
.scan <- function(file = "", what = double(), nmax = -1L, n = -1L, ..., text, quiet = FALSE) {
    if (!missing(text) || !.is_input(file))
        return(.real_scan(file, what, nmax, n, ..., text = text, quiet = quiet))
    most <- max(n, nmax)
    lines <- character()
    repeat {
        line <- .ask()
        if (is.null(line) || !nzchar(line)) break
        lines <- c(lines, line)
        if (most > 0L && length(.real_scan(text = lines, what = "", quiet = TRUE)) >= most) break
    }
    .real_scan(text = lines, what = what, n = most, ..., quiet = quiet)
}

.menu <- function(choices, graphics = FALSE, title = NULL) {
    if (length(title) && nzchar(title[1])) cat(title[1], "\n", sep = "")
    cat(paste0(seq_along(choices), ": ", choices, "\n"), sep = "")
    repeat {
        line <- .ask("Selection: ")
        if (is.null(line)) return(0L)
        chosen <- suppressWarnings(as.integer(line))
        if (!is.na(chosen) && chosen >= 0L && chosen <= length(choices)) return(chosen)
        cat("Enter an item from the menu, or 0 to exit\n")
    }
}

# A block that quits is over; R lives on with all names.
.real_quit <- quit
.quit <- function(save = "default", status = 0, runLast = TRUE) {
    if (is_copy() || is.null(computeRestarts()) || !any(vapply(computeRestarts(),
        function(one) identical(one$name, "playhead_quit"), NA)))
        .real_quit("no", status, runLast)
    if (runLast && exists(".Last", globalenv(), mode = "function", inherits = FALSE))
        get(".Last", globalenv())()
    invokeRestart("playhead_quit", as.integer(status))
}

# R itself ignores an interrupt while it waits for a command: a file tells of it.
end_if_stopped <- function() {
    if (file.exists(.block$stop) && !is_copy())
        signalCondition(structure(class = c("interrupt", "condition"),
            list(message = "", call = NULL)))
}

.real_system <- system
.real_system2 <- system2
.waiting_for <- function(real) function(...) {
    ended <- withVisible(real(...))
    end_if_stopped()
    if (ended$visible) ended$value else invisible(ended$value)
}

# Packages go where the user may write, without a question.
.make_library <- function() {
    if (file.access(.libPaths()[1], 2L) == 0L) return()
    own <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1]][1]
    if (is.na(own) || own == "NULL") return()
    own <- path.expand(own)
    dir.create(own, recursive = TRUE, showWarnings = FALSE)
    .libPaths(c(own, .libPaths()))
}

.real_install <- utils::install.packages
.install <- function(pkgs, lib, ...) {
    if (!missing(lib)) return(.real_install(pkgs, lib, ...))
    .make_library()
    .real_install(pkgs, ...)
}

.real_arguments <- commandArgs
.arguments <- function(trailingOnly = FALSE) {
    if (trailingOnly) character() else .real_arguments()[1]
}

settle_in <- function() {
    .replace("readline", .readline)
    .replace("readLines", .readLines)
    .replace("scan", .scan)
    .replace("quit", .quit)
    .replace("q", .quit)
    .replace("system", .waiting_for(.real_system))
    .replace("system2", .waiting_for(.real_system2))
    .replace("commandArgs", .arguments)
    .replace("browser", function(...) cat("[There is no terminal: browser() is passed over.]\n"))
    .replace("warnings", last_warnings)
    .replace("menu", .menu, "utils")
    .replace("install.packages", .install, "utils")
    .replace("View", function(x, title) show_table(as.data.frame(x)), "utils")
    # Help is no terminal's either: no letters are struck over each other.
    setHook(packageEvent("tools", "onLoad"), function(...)
        tools::Rd2txt_options(underline_titles = FALSE))
    repos <- getOption("repos")
    if (identical(unname(repos["CRAN"]), "@CRAN@")) repos["CRAN"] <- "https://cloud.r-project.org"
    options(repos = repos, keep.source = TRUE, askpass = function(prompt = "Password: ")
        .ask(prompt, secret = TRUE), browser = function(url) cat(url, "\n"), menu.graphics = FALSE,
        error = NULL, warn = 0)
}
