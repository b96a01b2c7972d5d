# Plots: a device that opens by itself; a page is shown when nothing more is drawn on it.

.WIDTH_IN <- 7
.HEIGHT_IN <- 4.8
.DPI <- 120
.SCREEN_DPI <- 100
# Functions that add to a page. A statement that calls one of them goes on with what is there.
.ADDING <- c("abline", "arrows", "axis", "Axis", "box", "clip", "contour", "curve", "grid",
    "image", "layout", "legend", "lines", "locator", "matlines", "matpoints", "mtext", "par",
    "points", "polygon", "polypath", "qqline", "rasterImage", "rect", "rug", "segments", "symbols",
    "text", "title", "xspline")
.page <- new.env()
.page$device <- 0L
.page$is_begun <- FALSE
.page$shown <- 0L
.page$path <- ""
.page$sharpness <- 1

# Pages of this block are as sharp as a screen with so many dots an inch; 0 is not told.
set_screen <- function(dpi) {
    if (length(dpi) == 1L && !is.na(dpi) && dpi > 0) .page$sharpness <- dpi / .SCREEN_DPI
}

.png <- function(path) grDevices::png(path, width = .WIDTH_IN, height = .HEIGHT_IN, units = "in",
    res = .DPI * .page$sharpness, type = if (capabilities("cairo")) "cairo" else getOption("bitmapType"))

.open_device <- function(...) {
    .show_closed()
    .page$path <- new_file("page.png")
    .png(.page$path)
    .page$device <- grDevices::dev.cur()
    .page$is_begun <- FALSE
    .page$shown <- 0L
    grDevices::dev.control("enable")  # else nothing is kept that could be shown
}

.is_open <- function() names(.page$device) %in% names(grDevices::dev.list()) &&
    .page$device %in% grDevices::dev.list()

# Does something on our device, whichever is current.
.on_device <- function(action) {
    current <- grDevices::dev.cur()
    grDevices::dev.set(.page$device)
    on.exit(grDevices::dev.set(current))
    action()
}

.draw <- function(drawn) {
    path <- new_file("png")
    current <- grDevices::dev.cur()
    .png(path)
    own <- grDevices::dev.cur()
    tryCatch(grDevices::replayPlot(drawn), finally = {
        grDevices::dev.off(own)
        grDevices::dev.set(current)
    })
    show_file("png", path)
}

# Whether something of a display list leaves a trace: settings do not.
.draws <- function(items) {
    for (item in items) {
        routine <- tryCatch(item[[2]][[1]]$name, error = function(error) "")
        if (!identical(routine, "C_par") && !identical(routine, "C_layout")) return(TRUE)
    }
    FALSE
}

# Shows the page as it is, unless it has been shown so.
.show_open <- function() {
    drawn <- .on_device(grDevices::recordPlot)
    items <- as.list(drawn[[1]])
    is_more <- length(items) > .page$shown && .draws(items[seq_along(items) > .page$shown])
    .page$shown <- length(items)
    if (is_more) .draw(drawn)
}

# Code has closed the device before the page was shown: there is its file.
.show_closed <- function() {
    is_left <- .page$is_begun && .page$shown == 0L && !.is_open() && file.exists(.page$path)
    .page$is_begun <- FALSE
    if (is_left) show_file("png", .page$path)
}

.show_page <- function() {
    if (!.page$is_begun || is_copy()) return(invisible())
    try(if (.is_open()) .show_open() else .show_closed(), silent = TRUE)
}

# A page begins, or a further part of one; on a device that code has opened it is not ours.
.on_new_page <- function(is_whole) {
    if (.is_open()) {
        if (grDevices::dev.cur() != .page$device) return()
        if (is_whole()) {
            .show_page()
            .page$shown <- 0L
        }
    } else {
        if (!is.null(grDevices::dev.list())) return()
        .open_device()
    }
    .page$is_begun <- TRUE
}

# After a statement: shows what has been drawn, but not half of a page.
show_plots <- function(next_statement, is_over = FALSE) {
    if (!.page$is_begun) return()
    if (!is_over) {
        if (any(all.names(next_statement) %in% .ADDING)) return()
        if (.is_open() && !.on_device(function() graphics::par("page"))) return()
    }
    .show_page()
}

# What a stopped block has drawn is not the next one's.
forget_plots <- function() {
    if (.page$is_begun && .is_open())
        try(.page$shown <- length(.on_device(grDevices::recordPlot)[[1]]), silent = TRUE)
}

options(device = .open_device)
setHook("before.plot.new", function() .on_new_page(function() graphics::par("page")))
setHook("before.grid.newpage", function() .on_new_page(function() TRUE))
