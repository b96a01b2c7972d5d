# frozen_string_literal: true

module PlayheadKernel
  Job = Struct.new(:run, :path, :lines, :input, :folder)

  # Jobs in, replies and marks out; a copy of this process that code has made is not heard.
  class Wire
    attr_reader :run

    def initialize(jobs, replies, nonce)
      @pid = Process.pid
      @jobs = open_pipe(jobs, "r")
      @replies = open_pipe(replies, "w")
      # A way of its own: what becomes of `$stdout` does not matter to it.
      @out = STDOUT.dup
      @out.close_on_exec = true
      @nonce = nonce
      @run = ""
    end

    # What a block has made of its streams is undone.
    def repair_streams
      [STDOUT, STDERR].each do |stream|
        stream.reopen(@out)
        stream.sync = true
      end
      $stdout = STDOUT if $stdout.respond_to?(:closed?) && $stdout.closed?
      $stderr = STDERR if $stderr.respond_to?(:closed?) && $stderr.closed?
    end

    def next_job
      line = @jobs.gets
      return unless line

      run, path, lines, input, folder = line.chomp.split("\t", -1).map { |field| decoded(field) }
      Job.new(run, path, lines == "1", input, folder)
    end

    def begin_block(job)
      @run = job.run
    end

    def reply(*fields)
      return if Process.pid != @pid

      @replies.syswrite(fields.map { |field| encoded(field) }.join("\t") + "\n")
    end

    # Says something behind all that has been printed, by one write.
    def mark(kind, **fields)
      STDOUT.flush unless STDOUT.closed?
      mark_unordered(kind, **fields)
    end

    def mark_unordered(kind, **fields)
      return if Process.pid != @pid

      said = { t: kind, run: @run }.merge(fields).map { |name, value| "#{json(name)}:#{json(value)}" }
      @out.syswrite("\e_#{@nonce};{#{said.join(',')}}\e\\")
    end

    private

    def open_pipe(number, mode)
      io = IO.for_fd(number.to_i, mode)
      io.close_on_exec = true
      io
    end

    def decoded(field)
      field.b.gsub(/%(\h\h)/n) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
    end

    def encoded(field)
      field.to_s.b[0, 4000].gsub(/[^ -$&-~]/n) { |byte| format("%%%02X", byte.ord) }
    end

    # ASCII only, without a library that a block could replace.
    def json(value)
      return value.to_s if value.is_a?(Integer) || value == true || value == false

      text = value.to_s.dup.force_encoding(Encoding::UTF_8).scrub
      "\"#{text.gsub(/[^ -~]|["\\]/) { |char| escaped(char) }}\""
    end

    def escaped(char)
      return "\\#{char}" if char == "\"" || char == "\\"

      char.encode(Encoding::UTF_16BE).unpack("n*").map { |unit| format("\\u%04x", unit) }.join
    end
  end
end
