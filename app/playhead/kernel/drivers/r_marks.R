# Jobs in, replies and marks out.

.given <- commandArgs(trailingOnly = TRUE)
.pid <- Sys.getpid()
.jobs <- fifo(paste0("/dev/fd/", .given[1]), "r", blocking = TRUE)
.replies <- fifo(paste0("/dev/fd/", .given[2]), "w", blocking = TRUE)
# A way to the output of its own: what `sink()` takes away, and what it does not, stays right.
.out <- fifo("/dev/fd/1", "w", blocking = TRUE)
.nonce <- .given[3]
.block <- new.env()

seconds <- function() unclass(Sys.time())

# The fields of a line from the host.
.decoded <- function(field) {
    if (grepl("%", field, fixed = TRUE)) field <- utils::URLdecode(field)
    Encoding(field) <- "UTF-8"
    field
}

next_job <- function() {
    line <- readLines(.jobs, n = 1L)
    if (length(line) == 0L) return(NULL)
    # An empty last field would be lost.
    fields <- strsplit(paste0(line, "\t."), "\t", fixed = TRUE)[[1]]
    fields <- vapply(fields, .decoded, "", USE.NAMES = FALSE)
    list(run = fields[1], path = fields[2], lines = fields[3] == "1", folder = fields[5],
        dpi = suppressWarnings(as.numeric(fields[6])))
}

.encoded <- function(field) {
    field <- substr(enc2utf8(as.character(field)), 1L, 4000L)
    if (grepl("[^ -$&-~]", field, useBytes = TRUE)) utils::URLencode(field, reserved = TRUE)
    else field
}

# A copy of this process that code has made is not heard.
is_copy <- function() Sys.getpid() != .pid

reply <- function(...) {
    if (!is_copy()) writeLines(paste(vapply(list(...), .encoded, ""), collapse = "\t"), .replies)
}

json_text <- function(text) {
    text <- enc2utf8(as.character(text))
    bad <- !validUTF8(text)
    text[bad] <- iconv(text[bad], "latin1", "UTF-8")
    text <- gsub("\\", "\\\\", text, fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    text <- gsub("\n", "\\n", text, fixed = TRUE)
    text <- gsub("\t", "\\t", text, fixed = TRUE)
    paste0("\"", gsub("[\001-\037\177]", " ", text), "\"")
}

# Marks are ASCII: what is not goes by an escape for each half of a character, as JSON has it.
.ascii <- function(json) {
    code <- utf8ToInt(json)
    if (all(code < 128L)) return(json)
    high <- code > 0xFFFF
    units <- ifelse(code < 128L, intToUtf8(code, multiple = TRUE), sprintf("\\u%04x", code))
    rest <- code[high] - 0x10000
    units[high] <- sprintf("\\u%04x\\u%04x", 0xD800 + rest %/% 0x400, 0xDC00 + rest %% 0x400)
    paste(units, collapse = "")
}

# Says something behind all that has been printed, by one write.
mark <- function(kind, fields = "") {
    if (is_copy()) return(invisible())
    flush(stdout())
    mark <- paste0("\033_", .nonce, ";{\"t\":\"", kind, "\",\"run\":", .block$run,
        if (nzchar(fields)) ",", fields, "}\033\\")
    writeLines(mark, .out, sep = "")
}

# A new file in the folder that the host looks into.
new_file <- function(suffix) {
    .block$files <- .block$files + 1L
    file.path(.block$spool, paste0("r-", .block$number, "-", .block$files, ".", suffix))
}

show_file <- function(kind, path) {
    mark("show", paste0("\"kind\":\"", kind, "\",\"file\":", json_text(basename(path))))
    .block$line <- NA
}

say_error <- function(text) cat(text, file = stderr())

.block$number <- 0L
begin_block <- function(job) {
    .block$number <- .block$number + 1L
    .block$files <- 0L
    .block$questions <- 0L
    .block$id <- job$run
    .block$run <- .ascii(json_text(job$run))
    .block$spool <- dirname(job$path)
    .block$stop <- paste0(job$path, ".stop")
    .block$lines <- job$lines
    .block$statement <- .block$line <- NA
    .block$warnings <- list()
}

end_block <- function() {
    if (sink.number() > 0L)
        writeLines("[What is printed goes to a sink; sink() ends that.]", .out)
    flush(stdout())
}
