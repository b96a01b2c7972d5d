# frozen_string_literal: true

module PlayheadKernel
  # A part of a block that is run at once; `first` and `last` are its lines, `from` its text's.
  Statement = Struct.new(:text, :name, :from, :first, :last, :has_value) do
    def run
      TOPLEVEL_BINDING.eval(text, name, from)
    end
  end

  # The statements of a block, as Ruby's own parser cuts it; the whole of it where there is none.
  class Statements
    # What gives a value that nobody wants to see.
    SILENT_NODES = %i[
      LASGN DASGN DASGN_CURR IASGN GASGN CVASGN CDECL MASGN ATTRASGN OP_ASGN OP_ASGN1 OP_ASGN2
      OP_ASGN_AND OP_ASGN_OR OP_CDECL DEFN DEFS CLASS MODULE SCLASS ALIAS VALIAS UNDEF WHILE UNTIL FOR
    ].freeze
    SILENT_CALLS = %i[
      require require_relative load include extend prepend using private public protected at_exit
      attr_reader attr_writer attr_accessor srand trap sleep
    ].freeze
    SILENT_LOOPS = %i[
      each each_with_index each_pair each_key each_value each_char each_line each_slice each_cons
      each_entry reverse_each each_byte times upto downto step loop
    ].freeze

    # A comment that says how strings are to be read says it of every statement.
    FROZEN = /\A(?:#[^\n]*\n)*?#.*frozen_string_literal:\s*true/.freeze

    def initialize(code, name)
      @code = code
      @lines = code.lines
      @name = name
    end

    def to_a
      nodes = top_nodes
      return [Statement.new(@code, @name, 1, 1, [@lines.length, 1].max, true)] if nodes.nil?

      parts = cut(by_line(nodes))
      parts.each_with_index.map { |part, n| statement(*part, is_last: n == parts.length - 1) }.compact
    end

    private

    # The nodes of the top level, nil where the parser is not there or does not know the text.
    def top_nodes
      return unless defined?(RubyVM::AbstractSyntaxTree)

      names = TOPLEVEL_BINDING.local_variables
      root = parsed(@code, names)
      # A name that is a variable by then: how `x /2` is to be read depends on it.
      @names = names | root.children[0]
      body = root.children[2]
      nodes = body&.type == :BLOCK ? body.children : [body]
      nodes = nodes.compact.drop(names.length)
      nodes if nodes.all? { |node| node.first_lineno.positive? }
    rescue SyntaxError, StandardError, NotImplementedError
      nil # run as a whole, it says itself what is wrong
    end

    def parsed(text, names)
      quietly { RubyVM::AbstractSyntaxTree.parse(names.map { |name| "#{name}=nil;" }.join + text) }
    end

    # Ranges of lines with their nodes. A node does not tell of all its lines (`begin`, the end of a
    # here-document): the cut is where both sides can be read, and nowhere if there is no such place.
    def cut(groups)
      parts = []
      first = 1
      groups.each_with_index do |group, n|
        after = groups[n + 1]&.first&.first_lineno
        last = after ? place(first, group.map(&:last_lineno).max, after - 1) : @lines.length
        if last
          parts << [first, last, group]
          first = last + 1
        else
          groups[n + 1] = group + groups[n + 1]
        end
      end
      parts
    end

    def place(first, earliest, latest)
      latest.downto([earliest, first].max).find { |last| whole?(first, last) }
    end

    def whole?(first, last)
      parsed(@lines[(first - 1)..(last - 1)].join, @names)
      true
    rescue SyntaxError
      false
    end

    def statement(first, last, group, is_last:)
      text = @lines[(first - 1)..(last - 1)].join
      from = first
      # A comment that says how strings are to be read says it of every statement.
      if first > 1 && FROZEN.match?(@code)
        text = "# frozen_string_literal: true\n#{text}"
        from -= 1
      end
      own = (first..last).reject { |number| @lines[number - 1].match?(/\A\s*(#|\z)/) }
      return if own.empty?

      Statement.new(text, @name, from, own.first, own.last, is_last && value?(group.last))
    end

    def quietly
      before = $VERBOSE
      $VERBOSE = nil
      yield
    ensure
      $VERBOSE = before
    end

    # What shares a line with what is before it goes with it: a here-document may follow both.
    def by_line(nodes)
      nodes.each_with_object([]) do |node, groups|
        if groups.any? && node.first_lineno <= groups.last.map(&:last_lineno).max
          groups.last << node
        else
          groups << [node]
        end
      end
    end

    def value?(node)
      return false if SILENT_NODES.include?(node.type)
      return !SILENT_LOOPS.include?(called(node.children[0])) if node.type == :ITER

      !SILENT_CALLS.include?(called(node))
    end

    def called(node)
      case node.type
      when :FCALL, :VCALL then node.children[0]
      when :CALL, :QCALL then node.children[1]
      end
    end
  end
end
