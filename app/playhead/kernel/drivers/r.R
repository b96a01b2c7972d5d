# Runs blocks of R for the host. How the two talk is said in `child.py` beside this file.
#
# Everything is inside one environment: nothing of it is in the way of the names of the blocks.
# What follows runs on R 3.6 too.

playhead <- new.env(parent = baseenv())
playhead$script <- gsub("~+~", " ", fixed = TRUE, sub("^--file=", "",
    grep("^--file=", commandArgs(), value = TRUE)[1]))
for (playhead_part in c("r_marks.R", "r_lines.R", "r_plots.R", "r_values.R", "r_session.R"))
    sys.source(file.path(dirname(playhead$script), playhead_part), envir = playhead)
rm(playhead_part)

local(envir = playhead, {
    # Reads the block's file. Fails, as R's parser does, if it is no R.
    parse_block <- function(path) {
        name <- basename(path)
        lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
        parse(text = lines, keep.source = TRUE, srcfile = srcfilecopy(name, lines))
    }

    run_statement <- function(statement) {
        shown <- withVisible(eval(statement, globalenv()))
        assign(".Last.value", shown$value, envir = .own_names)
        if (shown$visible) show_value(shown$value, statement)
    }

    # One statement after the other; where one stands is known from the text that was parsed.
    run_statements <- function(statements) {
        refs <- attr(statements, "srcref")
        for (n in seq_along(statements)) {
            ref <- refs[[n]]
            statement <- statements[[n]]
            begin_statement(ref[1])
            if (has_lines()) statement <- with_lines(statement)
            began <- seconds()
            on.exit(reply("timing", ref[1], format(seconds() - began, digits = 6), ref[3]))
            run_statement(statement)
            end_if_stopped()
            on.exit()
            reply("timing", ref[1], format(seconds() - began, digits = 6), ref[3])
            show_warnings()
            show_plots(if (n < length(statements)) statements[[n + 1]])
        }
    }

    # What an error says is printed as at R's prompt, and told for its card.
    tell_error <- function(error, line) {
        message <- conditionMessage(error)
        say_error(paste0(error_head(error, message), message, "\n",
            remedy(error)))
        kind <- class(error)[1]
        reply("error", if (kind == "simpleError") "Error" else kind, message, if (is.na(line)) "" else line)
    }

    run_block <- function(path) {
        line <- NA
        on_error <- function(error) line <<- innermost_line(sys.calls(), basename(path))
        finished <- function(status = "") list("finished", status, "")
        tryCatch(withRestarts(
            allowInterrupts(withCallingHandlers({
                statements <- tryCatch(parse_block(path), error = identity)
                if (inherits(statements, "error")) {
                    tell_error(syntax_error(statements), syntax_line(statements))
                } else {
                    run_statements(statements)
                }
                finished()
            }, warning = keep_warning, error = on_error)),
            playhead_quit = finished
        ), interrupt = function(condition) {
            list("interrupted", "", current_line())
        }, error = function(error) {
            # Out of memory or stack, no handler is asked before.
            tell_error(error, if (is.na(line)) current_line() else line)
            finished()
        })
    }

    # A press of Stop may arrive twice: what comes when all is over is not for the next block.
    forget_interrupts <- function()
        tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(condition) NULL)

    take_job <- function(job) {
        forget_interrupts()
        begin_block(job)
        if (nzchar(job$folder)) try(setwd(job$folder))
        reply("began")
        set_screen(job$dpi)
        end <- run_block(job$path)
        show_warnings()
        if (end[[1]] == "interrupted") forget_plots() else show_plots(NULL, is_over = TRUE)
        end_block()
        do.call(reply, c("end", end))
    }

    serve <- function() {
        reply("ready", paste0(R.version$major, ".", R.version$minor))
        while (!is.null(job <- next_job()))
            take_job(job)
    }
})

local(suspendInterrupts({
    settle_in()
    rm(playhead, envir = globalenv())
    serve()
}), envir = playhead)
