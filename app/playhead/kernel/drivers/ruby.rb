# frozen_string_literal: true

# Runs blocks of Ruby for the host. How the two talk is said in `child.py` beside this file.
#
# Everything is inside one module: the top level, with its local variables, belongs to the blocks.
# What follows runs on Ruby 2.7 too.

module PlayheadKernel
  HERE = __dir__
end

%w[marks statements lines input endings].each do |part|
  require_relative "ruby_#{part}"
end

module PlayheadKernel
  # Takes jobs until the host goes away.
  class Kernel
    def initialize
      @pid = Process.pid
      @wire = Wire.new(*ARGV)
      @lines = Lines.new(@wire)
      @endings = Endings.new(@pid)
      ARGV.clear
      @input = Input.new(@wire)
    end

    def serve
      @endings.install
      @input.install
      @wire.reply("ready", RUBY_VERSION)
      while (job = @wire.next_job)
        take(job)
      end
    end

    private

    def take(job)
      name = File.basename(job.path)
      settle_in(job, name)
      @wire.reply("began")
      end_of_block = run(File.binread(job.path).force_encoding(Encoding::UTF_8), name)
      leave_copy(end_of_block) if Process.pid != @pid
      @lines.rest
      flush
      @wire.reply("end", *end_of_block)
    end

    def settle_in(job, name)
      @wire.begin_block(job)
      @endings.begin_block
      @lines.begin_block(name, job.lines)
      Dir.chdir(job.folder) unless job.folder.empty?
      STDIN.reopen(job.input)
      @wire.repair_streams
      @input.attach
      $0 = name # what asks whether it is the program gets a yes
    end

    # The fields that follow `end`.
    def run(code, name)
      state = @endings.guarded { run_statements(code, name) }
      at_exits = @endings.guarded { @endings.run_at_exits }
      state = at_exits unless at_exits.nil? || at_exits.is_a?(Exception) && state
      @endings.end_threads if state.is_a?(Interrupt)
      describe(state, name)
    end

    def run_statements(code, name)
      Statements.new(code, name).to_a.each do |statement|
        @lines.announce(statement.first)
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        begin
          value = statement.run
        ensure
          seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
          @wire.reply("timing", statement.first, format("%.6f", seconds), statement.last)
        end
        show(value) if statement.has_value
      end
    end

    def show(value)
      return if value.nil?

      text = value.inspect
      @wire.mark("display")
      STDOUT.puts(text)
    end

    def describe(state, name)
      case state
      when nil then ["finished", "", ""]
      when SystemExit then ["finished", state.status, ""]
      when Interrupt then ["interrupted", "", Errors.line_of(state, name) || @lines.line]
      else
        Errors.tell(state, name, @wire)
        ["finished", "", ""]
      end
    end

    # The block has copied this process, and the copy came back here.
    def leave_copy(end_of_block)
      flush
      exit!(end_of_block[1].to_i)
    end

    def flush
      [$stdout, $stderr, STDOUT, STDERR].each do |stream|
        stream.flush
      rescue StandardError
        next # closed, or something else by now
      end
    end
  end
end

PlayheadKernel::Kernel.new.serve
