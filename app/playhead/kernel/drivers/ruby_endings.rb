# frozen_string_literal: true

module PlayheadKernel
  # How a block ends: by itself, by an exception, by `exit`, by Stop.
  class Endings
    def initialize(pid)
      @pid = pid
      @is_armed = false
      @at_exits = []
      @threads = []
    end

    # `at_exit` is for the end of the block: that of the process comes when nobody looks any more.
    def install
      endings = self
      own = Module.new do
        define_method(:at_exit) { |&block| endings.add(block) }
        private :at_exit
      end
      ::Kernel.singleton_class.prepend(own)
      Object.prepend(own)
    end

    def add(block)
      raise ArgumentError, "called without a block" unless block

      @at_exits << block
      block
    end

    def begin_block
      @at_exits.clear
      @threads = Thread.list
      trap("INT") { raise Interrupt, "" if @is_armed && Process.pid == @pid }
    end

    # What ended the code, nil if nothing did; only in here can it be interrupted. A `return` is an
    # end like any other, though a block is no method: it raises, and from Ruby 3.3 on it leaves the
    # whole program, which only a `return` on the way out stops.
    def guarded
      @is_armed = true
      state = :returned
      begin
        yield
        state = nil
      rescue LocalJumpError => error
        state = error.reason == :return ? nil : error
      rescue Exception => error # anything that code raises
        state = error
      ensure
        @is_armed = false
        return nil if state == :returned
      end
      state
    end

    # Threads that a stopped block has begun would print into the next one.
    def end_threads
      begun = Thread.list - @threads
      begun.each { |thread| thread.kill unless thread.name == Lines::THREAD_NAME }
    end

    def run_at_exits
      status = nil
      until @at_exits.empty?
        begin
          @at_exits.pop.call
        rescue SystemExit => error
          status = error
        end
      end
      raise status if status
    end
  end

  # What an exception says.
  module Errors
    LONGEST = 40
    SHOWN = 15

    module_function

    def tell(error, name, wire)
      STDERR.write(text(error))
      wire.reply("error", error.class.name || "Exception", message_of(error), line_of(error, name))
    end

    # As Ruby prints it, without our own frames.
    def text(error)
      # That of what could not be read has no place but ours.
      is_ours = error.is_a?(SyntaxError) && (error.backtrace || [""]).first.to_s.include?(HERE)
      full = is_ours ? message_of(error) : error.full_message(highlight: false, order: :top)
      "#{shortened(full).chomp}\n#{remedy(error)}"
    rescue StandardError
      "#{error.class}: #{message_of(error)}\n" # its message fails
    end

    def shortened(full)
      lines = full.dup.force_encoding(Encoding::UTF_8).scrub.lines
      lines = lines.reject { |line| line.include?(HERE) }
      return lines.join if lines.length <= LONGEST

      left_out = lines.length - 2 * SHOWN
      (lines.first(SHOWN) + ["\t ... #{left_out} levels...\n"] + lines.last(SHOWN)).join
    end

    def message_of(error)
      error.message.to_s.dup.force_encoding(Encoding::UTF_8).scrub
    rescue StandardError
      "<its message could not be read>"
    end

    # The innermost line of the block.
    def line_of(error, name)
      place = error.backtrace_locations&.find { |frame| frame.path == name }
      return place.lineno if place

      found = error.is_a?(SyntaxError) && message_of(error)[/^#{Regexp.escape(name)}:(\d+):/, 1]
      found ||= (error.backtrace || []).map { |frame| frame[/\A#{Regexp.escape(name)}:(\d+):/, 1] }.compact.first
      found&.to_i
    end

    def remedy(error)
      return "" unless error.is_a?(LoadError) && error.path && error.path !~ %r{\A[./]}

      "If it is a gem: gem install #{error.path.split('/').first}\n"
    end
  end
end
