# frozen_string_literal: true

module PlayheadKernel
  # The running line: each statement as it begins, inside it by looks at the main thread's stack.
  class Lines
    PERIOD_S = 1.0 / 30
    DEPTH = 400
    THREAD_NAME = "playhead-lines"

    attr_reader :line

    def initialize(wire)
      @wire = wire
      @main = Thread.main
      @lock = Mutex.new
      @is_on = @is_running = false
    end

    def begin_block(name, is_on)
      @name = name
      @is_on = is_on
      @line = nil
    end

    # A statement begins.
    def announce(line)
      @line = line
      return unless @is_on

      @lock.synchronize { @wire.mark("line", line: line) }
      @is_running = true
      @thread = start unless @thread&.alive?
      @thread.wakeup if @thread.stop?
    rescue ThreadError
      nil # it has ended between two looks: in a copy of this process there is none
    end

    # Says the line again if it still runs after something was shown.
    def forget
      @said = nil
    end

    def rest
      @is_running = false
      @lock.synchronize { @is_on = false }
    end

    private

    def start
      thread = Thread.new do
        loop do
          @is_running ? sleep(PERIOD_S) : Thread.stop
          @lock.synchronize { look } if @is_running
        end
      end
      thread.name = THREAD_NAME
      thread.report_on_exception = false
      thread.priority = 3
      thread
    end

    def look
      place = @main.backtrace_locations(0, DEPTH)&.find { |frame| frame.path == @name }
      return unless place && @is_on && place.lineno != @line

      @line = place.lineno
      @wire.mark_unordered("line", line: @line)
    end
  end
end
