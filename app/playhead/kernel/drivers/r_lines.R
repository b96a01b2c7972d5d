# The running line: every statement of a block, and those of loops that are not in a hurry.

.PER_SECOND <- 100
.HURRY_S <- 1e-4
.LOOKED_AT <- 128L

# What blocks can see of ours: a flag that loops look at, and `.Last.value`, since R's is locked.
.own_names <- attach(NULL, name = "tools:playhead")

has_lines <- function() .block$lines
current_line <- function() if (is.na(.block$line)) .block$statement else .block$line

.announce <- function(line) {
    .block$line <- line
    mark("line", paste0("\"line\":", line))
}

begin_statement <- function(line) {
    .block$statement <- line
    if (!.block$lines) return()
    .announce(line)
    .block$left <- .PER_SECOND
    .block$calls <- 0L
    .block$filled <- .block$looked <- seconds()
    assign(".playhead_lines", TRUE, envir = .own_names)
}

# A statement inside of a loop begins. So many a second are told; where statements are in a hurry
# the loop is told as a whole from then on, and runs as it was written.
.on_line <- function(line) {
    .block$calls <- .block$calls + 1L
    if (!identical(line, .block$line)) {
        now <- seconds()
        .block$left <- min(.PER_SECOND, .block$left + (now - .block$filled) * .PER_SECOND)
        .block$filled <- now
        if (.block$left >= 1) {
            .block$left <- .block$left - 1
            .announce(line)
        }
    }
    if (.block$calls >= .LOOKED_AT) .look_for_hurry()
}

.look_for_hurry <- function() {
    now <- seconds()
    if ((now - .block$looked) / .block$calls < .HURRY_S) {
        assign(".playhead_lines", FALSE, envir = .own_names)
        if (!identical(.block$statement, .block$line)) .announce(.block$statement)
    }
    .block$calls <- 0L
    .block$looked <- now
}

.head_of <- function(code) if (is.call(code) && is.symbol(code[[1]])) as.character(code[[1]]) else ""

# A block in braces that tells of each of its statements.
.telling <- function(braces) {
    refs <- attr(braces, "srcref")
    if (length(refs) != length(braces)) return(braces)
    parts <- list(braces[[1]])
    of <- 1L
    for (n in seq_along(braces)[-1]) {
        parts <- c(parts, as.call(list(.on_line, refs[[n]][1])), list(with_lines(braces[[n]])))
        of <- c(of, n, n)
    }
    told <- as.call(parts)
    attributes(told) <- attributes(braces)
    attr(told, "srcref") <- refs[of]
    told
}

.BODY <- c("for" = 4L, "while" = 3L, "repeat" = 2L)

# The same code, telling of the statements in its loops; functions are left as they are. A loop has
# its body twice: looking at one flag a turn is all that a fast loop pays.
with_lines <- function(code) {
    head <- .head_of(code)
    if (head %in% names(.BODY)) {
        at <- .BODY[[head]]
        body <- code[[at]]
        if (.head_of(body) == "{")
            code[[at]] <- call("if", as.name(".playhead_lines"), .telling(body), body)
    } else if (head == "{") {
        code <- .telling(code)
    } else if (head == "if") {
        for (at in seq_along(code)[-(1:2)]) code[[at]] <- with_lines(code[[at]])
    }
    code
}

# Where the block was when something went wrong, in its own lines; NA is the statement's.
innermost_line <- function(calls, name) {
    for (call in rev(calls)) {
        ref <- attr(call, "srcref")
        if (!is.null(ref) && identical(attr(ref, "srcfile")$filename, name)) return(ref[1])
    }
    .block$statement
}
