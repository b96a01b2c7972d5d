# Values, warnings and errors, written as R's prompt does; frames as tables too.

.PAGE_ROWS <- 200L
.PAGE_COLUMNS <- 50L
.LONG_ROWS <- 60L
.HEAD_ROWS <- 10L
.CELL <- 500L
.WIDE <- 77L
.WARNINGS <- 50L

show_value <- function(value, statement) {
    if (is.data.frame(value) && ncol(value) > 0L) {
        .show_frame(value, if (is.symbol(statement)) as.character(statement) else "")
    } else if (isS4(value)) {
        methods::show(value)
    } else {
        print(value)
    }
}

# A long frame's text is its head: who wants all of it prints it.
.text_of <- function(frame) {
    if (nrow(frame) <= .LONG_ROWS) return(utils::capture.output(print(frame)))
    rest <- nrow(frame) - .HEAD_ROWS
    c(utils::capture.output(print(utils::head(frame, .HEAD_ROWS))), paste("...", rest, "more rows"))
}

.show_frame <- function(frame, name) {
    text <- paste(.text_of(frame), collapse = "\n")
    mark("display")
    cat(text, "\n", sep = "")
    show_table(frame, name, text)
}

show_table <- function(frame, name = "", text = "") {
    json <- tryCatch(.table_json(frame, name, text), error = function(error) NULL)
    if (is.null(json) || is_copy()) return(invisible())
    path <- new_file("json")
    out <- file(path, "wb")
    writeBin(charToRaw(json), out)
    close(out)
    show_file("table", path)
}

.cells <- function(column) {
    missing <- if (is.list(column)) rep(FALSE, NROW(column)) else is.na(column)
    if (length(dim(column)) > 1L) {
        cells <- json_text(apply(format(column), 1L, paste, collapse = " "))
        missing <- FALSE
    } else if (is.list(column)) {
        words <- vapply(column, function(item) paste(format(item), collapse = ", "), "")
        cells <- json_text(substr(words, 1L, .CELL))
    } else if (!is.object(column) && is.logical(column)) {
        cells <- ifelse(column, "true", "false")
    } else if (!is.object(column) && is.numeric(column)) {
        cells <- sprintf("%.15g", column)
        odd <- !is.finite(column)
        cells[odd] <- json_text(cells[odd])
        missing <- missing & !is.nan(column)
    } else {
        words <- if (is.factor(column) || is.character(column)) as.character(column)
        cells <- json_text(substr(if (is.null(words)) format(column) else words, 1L, .CELL))
    }
    cells[missing] <- "null"
    cells
}

.list_json <- function(items) paste0("[", paste(items, collapse = ","), "]")

.table_json <- function(frame, name, text) {
    rows <- seq_len(min(nrow(frame), .PAGE_ROWS))
    page <- as.list(as.data.frame(frame)[rows, seq_len(min(ncol(frame), .PAGE_COLUMNS)), drop = FALSE])
    if (is.character(attr(frame, "row.names"))) page <- c(list(row.names(frame)[rows]), page)
    extra <- length(page) - min(ncol(frame), .PAGE_COLUMNS)
    titles <- if (extra) c("", names(page)[-1]) else names(page)
    kinds <- vapply(page, function(column) class(column)[1], "")
    if (extra) kinds[1] <- ""  # the names of the rows have no title but that
    cells <- do.call(cbind, lapply(page, .cells))
    paste0("{\"columns\":", .list_json(json_text(titles)),
        ",\"dtypes\":", .list_json(json_text(kinds)),
        ",\"missing\":", .list_json(rep("\"NA\"", length(page))),
        ",\"rows\":", .list_json(apply(cells, 1L, .list_json)),
        ",\"total_rows\":", nrow(frame), ",\"total_columns\":", ncol(frame) + extra,
        ",\"name\":", json_text(name), ",\"text\":", json_text(text), "}")
}

# Warnings come together after each statement, unless code has asked for another way.
keep_warning <- function(warning) {
    if (getOption("warn") != 0) return()
    if (length(.block$warnings) < .WARNINGS) .block$warnings <- c(.block$warnings, list(warning))
    invokeRestart("muffleWarning")
}

# What is called by a statement itself is called by ours, which nobody has written.
.OWN_CALL <- quote(eval(statement, globalenv()))
.call_of <- function(condition) {
    call <- conditionCall(condition)
    if (identical(call, .OWN_CALL)) return(NULL)
    # What we have put ourselves before is called by its own name.
    if (is.call(call) && is.symbol(call[[1]]))
        call[[1]] <- as.name(sub("^\\.real_", "", as.character(call[[1]])))
    call
}
.call_text <- function(condition) {
    call <- .call_of(condition)
    if (is.null(call)) "" else deparse(call, nlines = 1L)[1]
}

.warning_text <- function(warning, number) {
    message <- conditionMessage(warning)
    call <- .call_text(warning)
    if (!nzchar(call)) return(paste0(number, message, " \n"))
    first <- sub("\n.*", "", message)
    is_wide <- 6L + nchar(number) + nchar(call) + nchar(first) > .WIDE
    between <- if (is_wide) " :\n  " else " : "
    paste0(number, "In ", call, between, message, "\n")
}

.last <- new.env()
last_warnings <- function(...)
    if (length(.last$warnings)) structure(.last$warnings, dots = list(...), class = "warnings")

show_warnings <- function() {
    warnings <- .block$warnings
    .block$warnings <- list()
    count <- length(warnings)
    if (count == 0L) return(invisible())
    .last$warnings <- lapply(warnings, .call_of)
    names(.last$warnings) <- vapply(warnings, conditionMessage, "")
    if (count == 1L) {
        say_error(paste0("Warning message:\n", .warning_text(warnings[[1]], "")))
    } else if (count <= 10L) {
        numbers <- paste0(seq_len(count), ": ")
        texts <- mapply(.warning_text, warnings, numbers)
        say_error(paste0("Warning messages:\n", paste(texts, collapse = "")))
    } else if (count < .WARNINGS) {
        say_error(paste("There were", count, "warnings (use warnings() to see them)\n"))
    } else {
        say_error("There were 50 or more warnings (use warnings() to see the first 50)\n")
    }
}

error_head <- function(error, message) {
    call <- .call_text(error)
    if (!nzchar(call)) return("Error: ")
    first <- sub("\n.*", "", message)
    is_wide <- 6L + nchar(call) + nchar(first) > .WIDE
    paste0("Error in ", call, if (is_wide) " : \n  " else " : ")
}

# What code cannot know of the place it runs in.
remedy <- function(error) {
    if (!inherits(error, "packageNotFoundError")) return("")
    paste0("Install it with install.packages(\"", error$package[1], "\").\n")
}

syntax_error <- function(error) {
    error$call <- NULL
    error
}

syntax_line <- function(error) {
    place <- regmatches(conditionMessage(error), regexec("^[^\n]*?:(\\d+):\\d+:", perl = TRUE,
        conditionMessage(error)))[[1]]
    if (length(place) == 2L) as.integer(place[2]) else NA
}
